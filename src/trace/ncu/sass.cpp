#include "trace/ncu/sass.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace assay::trace {
namespace {

struct Opcode {
  std::uint16_t number;
  std::string_view name;
};

// The lowest nine bits of an instruction, as nvdisasm 12.8 names them. They mean the same from
// Volta (sm_70) to Blackwell (sm_120): found by disassembling kernels compiled for each.
constexpr auto kOpcodes = std::to_array<Opcode>({
    {0x002, "MOV"},          {0x005, "CS2R"},    {0x006, "VOTE"},      {0x007, "SEL"},
    {0x008, "FSEL"},         {0x009, "FMNMX"},   {0x00b, "FSETP"},     {0x00c, "ISETP"},
    {0x010, "IADD3"},        {0x011, "LEA"},     {0x012, "LOP3"},      {0x013, "IABS"},
    {0x014, "VABSDIFF"},     {0x016, "PRMT"},    {0x017, "IMNMX"},     {0x019, "SHF"},
    {0x01a, "SGXT"},         {0x01b, "BMSK"},    {0x01c, "PLOP3"},     {0x020, "FMUL"},
    {0x021, "FADD"},         {0x023, "FFMA"},    {0x024, "IMAD"},      {0x025, "IMAD"},
    {0x026, "IDP"},          {0x027, "IMAD"},    {0x028, "DMUL"},      {0x029, "DADD"},
    {0x02a, "DSETP"},        {0x02b, "DFMA"},    {0x02f, "ELECT"},     {0x030, "HADD2"},
    {0x031, "HFMA2"},        {0x032, "HMUL2"},   {0x033, "HSET2"},     {0x035, "HFMA2"},
    {0x036, "VIADD"},        {0x037, "IMMA"},    {0x03b, "LDSM"},      {0x03c, "HMMA"},
    {0x03d, "BMMA"},         {0x03e, "F2FP"},    {0x03f, "DMMA"},      {0x040, "HMNMX2"},
    {0x044, "STSM"},         {0x045, "I2FP"},    {0x046, "VIADDMNMX"}, {0x048, "VIMNMX"},
    {0x07a, "QMMA"},         {0x082, "UMOV"},    {0x086, "VOTEU"},     {0x090, "UIADD3"},
    {0x091, "ULEA"},         {0x099, "USHF"},    {0x0b9, "ULDC"},      {0x0ca, "R2UR"},
    {0x100, "FLO"},          {0x101, "BREV"},    {0x102, "FCHK"},      {0x105, "F2I"},
    {0x106, "I2F"},          {0x107, "FRND"},    {0x108, "MUFU"},      {0x109, "POPC"},
    {0x110, "F2F"},          {0x111, "F2I"},     {0x112, "I2F"},       {0x113, "FRND"},
    {0x118, "NOP"},          {0x119, "S2R"},     {0x11a, "DEPBAR"},    {0x11c, "B2R"},
    {0x11d, "BAR"},          {0x141, "BSYNC"},   {0x143, "CALL"},      {0x144, "CALL"},
    {0x145, "BSSY"},         {0x147, "BRA"},     {0x148, "WARPSYNC"},  {0x14d, "EXIT"},
    {0x14e, "LEPC"},         {0x150, "RET"},     {0x155, "BMOV"},      {0x15c, "BPT"},
    {0x15d, "NANOSLEEP"},    {0x160, "TEX"},     {0x180, "LD"},        {0x181, "LDG"},
    {0x182, "LDC"},          {0x183, "LDL"},     {0x184, "LDS"},       {0x185, "ST"},
    {0x186, "STG"},          {0x187, "STL"},     {0x188, "STS"},       {0x189, "SHFL"},
    {0x18c, "ATOMS"},        {0x18d, "ATOMS"},   {0x18e, "RED"},       {0x18f, "CCTL"},
    {0x192, "MEMBAR"},       {0x199, "SULD"},    {0x19d, "SUST"},      {0x1a1, "MATCH"},
    {0x1a6, "REDG"},         {0x1a7, "SYNCS"},   {0x1a8, "ATOMG"},     {0x1a9, "ATOMG"},
    {0x1aa, "QSPC"},         {0x1ab, "ERRBAR"},  {0x1ac, "LDCU"},      {0x1ae, "LDGSTS"},
    {0x1af, "LDGDEPBAR"},    {0x1b2, "SYNCS"},   {0x1b4, "UTMALDG"},   {0x1b5, "UTMASTG"},
    {0x1b7, "UTMACMDFLUSH"}, {0x1ba, "UBLKCP"},  {0x1c3, "S2UR"},      {0x1c4, "REDUX"},
    {0x1c5, "WARPGROUP"},    {0x1c6, "FENCE"},   {0x1c7, "UCGABAR"},   {0x1e3, "UTCATOMSWS"},
    {0x1e9, "UTCBAR"},       {0x1ea, "UTCHMMA"}, {0x1ee, "LDTM"},      {0x1f0, "HGMMA"},
    {0x1f1, "IGMMA"},        {0x1f3, "QGMMA"},
});

}  // namespace

bool is_half_move(std::string_view instruction, std::string_view capability) {
  constexpr unsigned char kZeroRegister = 0xFF;
  return sass_name(instruction, capability) == "HFMA2" &&
         static_cast<unsigned char>(instruction[3]) == kZeroRegister;
}

std::string sass_name(std::string_view instruction, std::string_view capability) {
  if (instruction.size() < kInstructionBytes) return {};
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(instruction[at]); };
  const auto number = static_cast<std::uint16_t>(byte(0) | ((byte(1) & 1U) << 8U));
  // The one number that Blackwell uses otherwise.
  if (number == 0x035 && capability.size() > 3) return "IADD";
  for (const Opcode& opcode : kOpcodes) {
    if (opcode.number == number) return std::string(opcode.name);
  }
  return fmt::format("opcode {:#05x}", number);
}

}  // namespace assay::trace
