// What tests of host code use of C's library, as a system header.
#pragma once
extern "C" {
int fprintf(void *, const char *, ...);
void exit(int);
long clock();
}
