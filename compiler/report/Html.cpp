// Writes a report as a page of HTML: the data as JSON, and the script that
// draws it.

#include "compiler/report/Decisions.h"

#include "compiler/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"

// Changes with the files, which ccache does not see that the assembler reads.
#include "compiler/report/Embedded.h"

// clang-format off
#define EMBED(name, file)                                                      \
  __asm__(".pushsection .rodata\n.hidden " #name "_begin\n"                    \
          #name "_begin:\n.incbin \"" file "\"\n.hidden " #name "_end\n"       \
          #name "_end:\n.byte 0\n.popsection\n");                              \
  extern "C" const char name##_begin[], name##_end[];
// clang-format on

EMBED(weir_report_script, WEIR_REPORT_SCRIPT)
EMBED(weir_report_style, WEIR_REPORT_STYLE)

using namespace llvm;

namespace weir {
namespace {

StringRef between(const char *begin, const char *end) {
  return {begin, size_t(end - begin)};
}

/// The hash by which the page's policy allows an inline script or style.
std::string hashOf(StringRef text) {
  return encodeBase64(SHA256::hash(arrayRefFromStringRef(text)));
}

/// Names come from foreign files: no control characters, and no markup.
std::string shown(StringRef text) {
  std::string plain = escaped(text, 400), result;
  raw_string_ostream os(result);
  printHTMLEscaped(plain, os);
  return result;
}

/// JSON has these characters in strings only. Without them, no string can end
/// the element of the data.
void writeData(const json::Object &report, raw_ostream &os) {
  std::string text = formatv("{0}", json::Value(json::Object(report))).str();
  for (char c : text)
    if (c == '<' || c == '>' || c == '&')
      os << formatv("\\u{0:x-4}", static_cast<int>(c));
    else
      os << c;
}

} // namespace

void writeHtml(const json::Object &report, raw_ostream &os) {
  StringRef script = between(weir_report_script_begin, weir_report_script_end);
  StringRef style = between(weir_report_style_begin, weir_report_style_end);
  std::string title = shown(report.getString("source").value_or(""));
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n"
     // The page loads nothing, and runs no other script.
     << "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; script-src 'sha256-"
     << hashOf(script) << "'; style-src 'sha256-" << hashOf(style) << "'\">\n"
     << "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
     << title << "</title>\n<style>" << style << "</style>\n</head>\n<body>\n"
     << "<noscript>The report needs JavaScript.</noscript>\n"
     << "<svg class=\"hidden\" aria-hidden=\"true\"></svg>\n"
     << "<script type=\"application/json\" id=\"data\">";
  writeData(report, os);
  os << "</script>\n<script>" << script << "</script>\n</body>\n</html>\n";
}

} // namespace weir
