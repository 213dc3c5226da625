// lld sets up every target that LLVM knows, for link-time optimisation, which
// weir does not ask of it. These empty definitions keep the others' code
// generators out of our binaries; X86, AArch64 and NVPTX have their own.

#define WITHOUT(target)                                                        \
  extern "C" void LLVMInitialize##target##Target() {}                          \
  extern "C" void LLVMInitialize##target##TargetInfo() {}                      \
  extern "C" void LLVMInitialize##target##TargetMC() {}                        \
  extern "C" void LLVMInitialize##target##AsmPrinter() {}                      \
  extern "C" void LLVMInitialize##target##AsmParser() {}

WITHOUT(AMDGPU)
WITHOUT(ARM)
WITHOUT(AVR)
WITHOUT(BPF)
WITHOUT(Hexagon)
WITHOUT(Lanai)
WITHOUT(LoongArch)
WITHOUT(M68k)
WITHOUT(MSP430)
WITHOUT(Mips)
WITHOUT(PowerPC)
WITHOUT(RISCV)
WITHOUT(Sparc)
WITHOUT(SystemZ)
WITHOUT(VE)
WITHOUT(WebAssembly)
WITHOUT(XCore)
WITHOUT(Xtensa)
