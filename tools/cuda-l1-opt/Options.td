//===- Options.td - Command line of cuda-l1-opt ---------------------------===//

include "llvm/Option/OptParser.td"

// A switch without a value.
class Switch<string name, string help>
    : Flag<["--", "-"], name>, HelpText<help>;

// An option with a value, as --name=VALUE and as --name VALUE.
multiclass Value<string name, string help, string meta, OptionGroup group> {
  def _EQ : Joined<["--", "-"], name # "=">, HelpText<help>, MetaVarName<meta>,
            Group<group>;
  def _SEP : Separate<["--", "-"], name>, Alias<!cast<Joined>(NAME # "_EQ")>,
             Group<group>;
}

def input_group : OptionGroup<"Input">, HelpText<"READING THE PROGRAM">;
def output_group : OptionGroup<"Output">, HelpText<"WRITING THE RESULT">;
def rewrite_group : OptionGroup<"Rewrite">, HelpText<"CHOOSING REWRITES">;
def search_group : OptionGroup<"Search">, HelpText<"SEARCHING">;
def run_group : OptionGroup<"Run">, HelpText<"RUNNING THE PROGRAM">;
def other_group : OptionGroup<"Other">, HelpText<"OTHER">;

// Reading the program.
def p : Separate<["-"], "p">, Group<input_group>, MetaVarName<"DIR">,
    HelpText<"Folder of compile_commands.json, as CMake writes it">;
defm cuda_path : Value<"cuda-path", "CUDA Toolkit (default: found by CUDA_PATH, nvcc, /usr/local/cuda)", "DIR", input_group>;
defm arch : Value<"arch", "Such as sm_90 (default: that of FLAGS, or of the GPU)", "ARCH", input_group>;
defm resource_dir : Value<"resource-dir", "Clang's own headers (default: found)", "DIR", input_group>;

// Writing the result.
def o : JoinedOrSeparate<["-"], "o">, Group<output_group>, MetaVarName<"FILE">,
    HelpText<"Result; with several inputs a folder (default: stdout)">;
def in_place : Switch<"in-place", "Replace the source, keeping FILE.orig">, Group<output_group>;
def diff : Switch<"diff", "Print a unified diff instead of the source">, Group<output_group>;
defm report : Value<"report", "Write the report as JSON too", "FILE", output_group>;
defm color : Value<"color", "auto (default), always or never", "WHEN", output_group>;
def quiet : Switch<"quiet", "Print errors only">, Group<output_group>;
def verbose : Switch<"verbose", "Print each variant as it is tried">, Group<output_group>;

// Choosing rewrites.
defm rules : Value<"rules", "Rules to use, as in clang-tidy: -*,unroll-loop", "GLOBS", rewrite_group>;
defm fp_class : Value<"fp-class", "How far results may drift: exact, reassociate, approximate, reduced-precision", "CLASS", rewrite_group>;
def needs_check : Switch<"needs-check", "Also rewrites whose legality only a run can confirm">, Group<rewrite_group>;
def list_rules : Switch<"list-rules", "Print the rules and what each does">, Group<rewrite_group>;
def list_sites : Switch<"list-sites", "Print every place where a rule may be applied, and why">, Group<rewrite_group>;
def dump_kernels : Switch<"dump-kernels", "Print what is known of each kernel; =json for JSON">, Group<rewrite_group>;
def dump_kernels_EQ : Joined<["--", "-"], "dump-kernels=">;
def dump_device_text : Switch<"dump-device-text", "Print the device code alone, as NVRTC is given it">, Group<rewrite_group>;
defm apply : Value<"apply", "Apply RULE[@LINE][:SUBJECT][{name=value,...}]; not measured; repeatable", "STEP", rewrite_group>;
def apply_all : Switch<"apply-all", "Apply every rewrite until none is left; not measured">, Group<rewrite_group>;

// Searching.
defm search : Value<"search", "greedy (default), bandit, random or exhaustive", "HOW", search_group>;
defm policy : Value<"policy", "Weights of the learned policy, or none (default: the bandit uses its own)", "FILE", search_group>;
defm budget : Value<"budget", "Time to search each file, e.g. 90s or 5m (default: 60s)", "TIME", search_group>;
defm max_variants : Value<"max-variants", "Most variants to measure", "N", search_group>;
defm seed : Value<"seed", "Seed of all randomness (default: 1)", "N", search_group>;
defm engine : Value<"engine", "Measure by auto (default: replay where it can judge), replay or program", "HOW", search_group>;
defm launch : Value<"launch", "Judge kernels at launch N, from 1 (default: a typical one of each shape)", "N", search_group>;
defm gpus : Value<"gpus", "GPUs to measure on, e.g. 0,1 (default: the program's own choice)", "LIST", search_group>;
defm judge : Value<"judge", "Measure FILE, another version of the input, against it; a folder: all in it", "FILE", search_group>;
defm verify : Value<"verify", "Prove rewrites by auto (default: by a run on the GPU, else emulated), emulator or none", "HOW", search_group>;
def no_cache : Switch<"no-cache", "Neither keep results for later calls nor take those of earlier ones">, Group<search_group>;
def cache_info : Switch<"cache-info", "Print what results are kept, and where">, Group<search_group>;
def cache_clear : Switch<"cache-clear", "Forget all kept results">, Group<search_group>;
def no_measure : Switch<"no-measure", "Do not run anything; apply what usually helps">, Group<search_group>;

// Running the program.
defm run_args : Value<"run-args", "Arguments of the program, as a shell would split them", "ARGS", run_group>;
defm emulate_args : Value<"emulate-args", "The same when the program is emulated, for a smaller problem", "ARGS", run_group>;
defm stdin : Value<"stdin", "File that the program reads from stdin", "FILE", run_group>;
defm env : Value<"env", "Set a variable for the program; repeatable", "NAME=VALUE", run_group>;
defm output_file : Value<"output-file", "A file that the program writes, to be compared; repeatable", "FILE", run_group>;
defm build_cmd : Value<"build-cmd", "How the project is built, instead of nvcc FILE", "CMD", run_group>;
defm run_cmd : Value<"run-cmd", "How it is run", "CMD", run_group>;
defm test_cmd : Value<"test-cmd", "How the final result is tested; exit code 0 is success", "CMD", run_group>;
def trust_config : Switch<"trust-config", "Run commands that .cuda-l1.toml names">, Group<run_group>;
defm time_limit : Value<"time-limit", "Longest run of the program, e.g. 30s", "TIME", run_group>;
defm work_dir : Value<"work-dir", "Folder for builds (default: a temporary one)", "DIR", run_group>;

def help : Switch<"help", "Print this">, Group<other_group>;
def h : Flag<["-"], "h">, Alias<help>, Group<other_group>;
def version : Switch<"version", "Print the version">, Group<other_group>;
