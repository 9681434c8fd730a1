// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both libraries leave a failed call by longjmp. It is met here and nowhere
// else: between a setjmp and what may jump there is no object with a
// destructor.
#include "runtime/data/image/ImageReader.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <png.h>
#include <string>
#include <vector>

#include <jpeglib.h>

#include <jerror.h>

namespace graphc::runtime {

namespace {

/// A progressive image of more scans costs more than it is worth.
constexpr int kMostScans = 200;

struct Failure {
  std::jmp_buf jump;
  char text[JMSG_LENGTH_MAX] = {};
};

//===--- libjpeg ----------------------------------------------------------===//

struct JpegErrors {
  jpeg_error_mgr base; // first: the library knows this part
  Failure failure;
};

[[noreturn]] void leaveJpeg(j_common_ptr jpeg) {
  auto *errors = reinterpret_cast<JpegErrors *>(jpeg->err);
  errors->base.format_message(jpeg, errors->failure.text);
  std::longjmp(errors->failure.jump, 1);
}

/// Data that are cut or make no sense are a failure, not a grey area.
void hearJpeg(j_common_ptr jpeg, int level) {
  int code = jpeg->err->msg_code;
  if (level < 0 && (code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF ||
                    code == JWRN_HUFF_BAD_CODE || code == JWRN_ARITH_BAD_CODE))
    leaveJpeg(jpeg);
}

void watchScans(j_common_ptr jpeg) {
  auto *decompress = reinterpret_cast<j_decompress_ptr>(jpeg);
  if (decompress->input_scan_number <= kMostScans)
    return;
  auto *errors = reinterpret_cast<JpegErrors *>(jpeg->err);
  std::snprintf(errors->failure.text, sizeof(errors->failure.text),
                "it has more than %d scans", kMostScans);
  std::longjmp(errors->failure.jump, 1);
}

void printNothing(j_common_ptr) {}

//===--- libpng -----------------------------------------------------------===//

struct PngInput {
  std::span<const std::byte> rest;
};

[[noreturn]] void leavePng(png_structp png, png_const_charp text) {
  auto *failure = static_cast<Failure *>(png_get_error_ptr(png));
  std::snprintf(failure->text, sizeof(failure->text), "%s", text);
  std::longjmp(failure->jump, 1);
}

void ignorePng(png_structp, png_const_charp) {}

void readPng(png_structp png, png_bytep to, size_t size) {
  auto *input = static_cast<PngInput *>(png_get_io_ptr(png));
  if (size > input->rest.size())
    png_error(png, "it is cut");
  std::memcpy(to, input->rest.data(), size);
  input->rest = input->rest.subspan(size);
}

Status damagedImage(const char *kind, const char *text) {
  return dataLoss(std::string("a ") + kind + " image that is damaged: " + text);
}

} // namespace

struct ImageReader::Codec {
  jpeg_decompress_struct jpeg;
  jpeg_progress_mgr progress;
  JpegErrors errors;
  bool hasJpeg = false; ///< jpeg was created

  png_structp png = nullptr;
  png_infop info = nullptr;
  PngInput input;
  Failure failure;
  std::vector<png_bytep> rows;

  bool isPng = false;
  int64_t height = 0, width = 0;

  bool openJpeg(std::span<const std::byte> bytes);
  bool decodeJpeg(int64_t channels, std::byte *to);
  bool openPng(std::span<const std::byte> bytes);
  bool decodePng(int64_t channels);
  void close();

  /// True when so few bytes can hold the image whose header was read. A header
  /// alone may claim any size, for which memory would be taken.
  bool fits(uint64_t bytes);
  void setSize() {
    height = jpeg.output_height;
    width = jpeg.output_width;
  }
};

bool ImageReader::Codec::openJpeg(std::span<const std::byte> bytes) {
  jpeg.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = leaveJpeg;
  errors.base.emit_message = hearJpeg;
  errors.base.output_message = printNothing;
  if (setjmp(errors.failure.jump))
    return false;
  if (!hasJpeg) {
    jpeg_create_decompress(&jpeg);
    hasJpeg = true;
    progress.progress_monitor = watchScans;
    jpeg.progress = &progress;
  }
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char *>(bytes.data()),
               bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  jpeg_calc_output_dimensions(&jpeg);
  setSize();
  return true;
}

bool ImageReader::Codec::decodeJpeg(int64_t channels, std::byte *to) {
  if (setjmp(errors.failure.jump))
    return false;
  jpeg.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg.dct_method = JDCT_ISLOW; // the exact one, the same on all machines
  jpeg_start_decompress(&jpeg);
  auto stride = static_cast<size_t>(width * channels);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW lines[4];
    JDIMENSION left = jpeg.output_height - jpeg.output_scanline;
    for (JDIMENSION i = 0; i < std::min<JDIMENSION>(left, 4); ++i)
      lines[i] =
          reinterpret_cast<JSAMPROW>(to + (jpeg.output_scanline + i) * stride);
    jpeg_read_scanlines(&jpeg, lines, std::min<JDIMENSION>(left, 4));
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

bool ImageReader::Codec::openPng(std::span<const std::byte> bytes) {
  input.rest = bytes;
  if (setjmp(failure.jump))
    return false;
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure, leavePng,
                               ignorePng);
  info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    std::snprintf(failure.text, sizeof(failure.text), "no memory is left");
    return false;
  }
  png_set_read_fn(png, &input, readPng);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_QUIET_USE);
  png_set_chunk_malloc_max(png, 1 << 20);
  png_read_info(png, info);
  height = png_get_image_height(png, info);
  width = png_get_image_width(png, info);
  return true;
}

/// `rows` points to the place of each row.
bool ImageReader::Codec::decodePng(int64_t channels) {
  if (setjmp(failure.jump))
    return false;
  int colour = png_get_color_type(png, info);
  png_set_strip_16(png);
  png_set_expand(png); // palettes, 1 to 4 bits, transparent colours
  png_set_strip_alpha(png);
  if (channels == 3 && !(colour & PNG_COLOR_MASK_COLOR))
    png_set_gray_to_rgb(png);
  if (channels == 1 && (colour & PNG_COLOR_MASK_COLOR))
    png_set_rgb_to_gray_fixed(png, PNG_ERROR_ACTION_NONE, 29900, 58700);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != static_cast<size_t>(width * channels))
    png_error(png, "its rows have another size than its header says");
  png_read_image(png, rows.data());
  png_read_end(png, nullptr);
  return true;
}

bool ImageReader::Codec::fits(uint64_t bytes) {
  if (isPng) // deflate: 258 bytes from two bits
    return png_get_rowbytes(png, info) * static_cast<uint64_t>(height) <=
           1032 * bytes;
  // A block of 8 x 8 takes one bit at least, coded by Huffman; at most every
  // second block may be missing, where no component has all rows and columns.
  uint64_t pixelsOfByte = jpeg.arith_code ? 1 << 15 : 1024;
  return static_cast<uint64_t>(height * width) <= pixelsOfByte * bytes;
}

void ImageReader::Codec::close() {
  if (hasJpeg)
    jpeg_abort_decompress(&jpeg);
  if (png)
    png_destroy_read_struct(&png, &info, nullptr);
  png = nullptr;
  info = nullptr;
}

bool isJpeg(std::span<const std::byte> bytes) {
  return bytes.size() >= 3 && std::memcmp(bytes.data(), "\xff\xd8\xff", 3) == 0;
}

bool isPng(std::span<const std::byte> bytes) {
  return bytes.size() >= 8 &&
         std::memcmp(bytes.data(), "\x89PNG\r\n\x1a\n", 8) == 0;
}

ImageReader::ImageReader() : codec(std::make_unique<Codec>()) {}

ImageReader::~ImageReader() {
  codec->close();
  if (codec->hasJpeg)
    jpeg_destroy_decompress(&codec->jpeg);
}

Status ImageReader::open(std::span<const std::byte> bytes) {
  codec->close();
  codec->isPng = isPng(bytes);
  if (!codec->isPng && !isJpeg(bytes))
    return invalidArgument("bytes that are neither a JPEG nor a PNG image");
  if (codec->isPng ? !codec->openPng(bytes) : !codec->openJpeg(bytes))
    return damagedImage(codec->isPng ? "PNG" : "JPEG",
                        codec->isPng ? codec->failure.text
                                     : codec->errors.failure.text);
  const char *kind = codec->isPng ? "a PNG" : "a JPEG";
  if (height() <= 0 || width() <= 0 || height() > kMostPixels / width())
    return invalidArgument(std::string(kind) + " image of " +
                           std::to_string(height()) + " x " +
                           std::to_string(width()) +
                           " pixels, more than the 67,108,864 that are read");
  if (!codec->fits(bytes.size()))
    return dataLoss(std::string(kind) +
                    " image that is damaged: " + std::to_string(bytes.size()) +
                    " bytes cannot hold its " + std::to_string(height()) +
                    " x " + std::to_string(width()) + " pixels; it may be cut");
  if (!codec->isPng && codec->jpeg.num_components == 4)
    return invalidArgument("a JPEG image of the colours CMYK; convert it to "
                           "RGB");
  return Status::ok();
}

int64_t ImageReader::height() const { return codec->height; }
int64_t ImageReader::width() const { return codec->width; }

void ImageReader::shrink(int64_t by) {
  if (codec->isPng)
    return;
  codec->jpeg.scale_num = 1;
  codec->jpeg.scale_denom = static_cast<unsigned>(by);
  // It cannot fail: the header was read.
  jpeg_calc_output_dimensions(&codec->jpeg);
  codec->setSize();
}

Status ImageReader::decode(int64_t channels, std::byte *to) {
  if (!codec->isPng)
    return codec->decodeJpeg(channels, to)
               ? Status::ok()
               : damagedImage("JPEG", codec->errors.failure.text);
  codec->rows.resize(static_cast<size_t>(height()));
  for (size_t i = 0; i < codec->rows.size(); ++i)
    codec->rows[i] = reinterpret_cast<png_bytep>(
        to + i * static_cast<size_t>(width() * channels));
  return codec->decodePng(channels) ? Status::ok()
                                    : damagedImage("PNG", codec->failure.text);
}

} // namespace graphc::runtime
