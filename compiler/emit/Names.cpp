// Foreign names made harmless: identifiers, comments and string literals of C.

#include "compiler/emit/Names.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weir {

// Words that C11, C++17 or the headers of a hosted system claim.
static const char *const claimed[] = {"alignas",
                                      "alignof",
                                      "and",
                                      "and_eq",
                                      "asm",
                                      "assert",
                                      "auto",
                                      "bitand",
                                      "bitor",
                                      "bool",
                                      "break",
                                      "case",
                                      "catch",
                                      "char",
                                      "char16_t",
                                      "char32_t",
                                      "class",
                                      "compl",
                                      "complex",
                                      "const",
                                      "const_cast",
                                      "constexpr",
                                      "context",
                                      "continue",
                                      "decltype",
                                      "default",
                                      "delete",
                                      "do",
                                      "double",
                                      "dynamic_cast",
                                      "else",
                                      "enum",
                                      "errno",
                                      "explicit",
                                      "export",
                                      "extern",
                                      "false",
                                      "float",
                                      "for",
                                      "friend",
                                      "goto",
                                      "i386",
                                      "if",
                                      "imaginary",
                                      "inline",
                                      "int",
                                      "linux",
                                      "long",
                                      "main",
                                      "mutable",
                                      "namespace",
                                      "new",
                                      "noexcept",
                                      "noreturn",
                                      "not",
                                      "not_eq",
                                      "nullptr",
                                      "operator",
                                      "or",
                                      "or_eq",
                                      "private",
                                      "protected",
                                      "public",
                                      "register",
                                      "reinterpret_cast",
                                      "restrict",
                                      "return",
                                      "short",
                                      "signed",
                                      "sizeof",
                                      "static",
                                      "static_assert",
                                      "static_cast",
                                      "stderr",
                                      "stdin",
                                      "stdout",
                                      "struct",
                                      "switch",
                                      "template",
                                      "this",
                                      "thread_local",
                                      "throw",
                                      "true",
                                      "try",
                                      "typedef",
                                      "typeid",
                                      "typename",
                                      "union",
                                      "unix",
                                      "unsigned",
                                      "using",
                                      "virtual",
                                      "void",
                                      "volatile",
                                      "wchar_t",
                                      "while",
                                      "xor",
                                      "xor_eq"};

std::string cIdentifier(StringRef text) {
  std::string name;
  for (char c : text) {
    bool keep = isAlnum(c);
    // A run of other characters is one underscore: two in a row are reserved.
    if (keep)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  // Long names are legal but some tools cut them; a short one stays readable.
  if (name.size() > 100)
    name.resize(100);
  if (name.empty())
    name = "unnamed";
  if (isDigit(name[0]))
    name = "n" + name;
  // Capitals alone may be a macro of some header (I, EOF, ...).
  bool capitals = none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  if (capitals || is_contained(claimed, StringRef(name)) ||
      StringRef(name).ends_with("_t"))
    name += '_';
  return name;
}

std::string cMacro(StringRef text) {
  std::string name = StringRef(cIdentifier(text)).upper();
  while (name.size() > 1 && name.back() == '_')
    name.pop_back();
  return name;
}

std::string unique(std::string name, TakenNames &taken) {
  auto [entry, isNew] = taken.try_emplace(name, 2);
  if (isNew)
    return name;
  std::string candidate;
  do
    candidate =
        name + (name.back() == '_' ? "" : "_") + utostr(entry->second++);
  while (!taken.try_emplace(candidate, 2).second);
  return candidate;
}

std::string forComment(StringRef text) {
  std::string out;
  for (char c : text.take_front(200)) {
    bool risky =
        c == '/' && !out.empty() && (out.back() == '*' || out.back() == '/');
    bool star = c == '*' && !out.empty() && out.back() == '/';
    // A backslash may join lines, ?? begins a trigraph.
    out += !isPrint(c) || risky || star || c == '\\' || c == '?' ? '_' : c;
  }
  if (text.size() > 200)
    out += "...";
  return out;
}

} // namespace weir
