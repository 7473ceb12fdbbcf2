import { assert } from '../platform/assert.ts'

/** The longest file that is read. */
export const MOST_PICTURE_BYTES = 2 * 1024 * 1024

const SIDE = 320
const MOST_STORED_BYTES = 262_144
// The largest sensor of a phone that still fits into two megabytes. A few kilobytes can claim a million times more.
const MOST_PIXELS = 64_000_000
const MOST_SECONDS = 15
const QUALITY = 80

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const JPEG = [0xff, 0xd8, 0xff]
const RIFF = [0x52, 0x49, 0x46, 0x46]
const WEBP = [0x57, 0x45, 0x42, 0x50]
const WEBP_AT = 8

/**
 * A picture as it is stored: a square WebP of 320 by 320, cut from the middle, made from the pixels of a PNG, JPEG or WebP
 * file, so that nothing else of the file remains (location, scripts, other formats). Of an animation the first frame. Null
 * when the file is none of the three, is longer than 2 MB, is cut short, or claims more pixels than a camera has.
 */
export async function readPicture(file: Buffer): Promise<Buffer | null> {
  if (file.length > MOST_PICTURE_BYTES || !isPicture(file)) return null
  // Loaded only here: the service itself never decodes a picture.
  const { default: sharp } = await import('sharp')
  const made = await sharp(file, { limitInputPixels: MOST_PIXELS, failOn: 'error', pages: 1 })
    .autoOrient()
    .resize(SIDE, SIDE, { fit: 'cover', position: 'centre' })
    .webp({ quality: QUALITY })
    .timeout({ seconds: MOST_SECONDS })
    .toBuffer()
    .catch(() => null)
  assert(made === null || made.length <= MOST_STORED_BYTES, 'a square of 320 pixels is small')
  return made
}

/** Decided by the first bytes, not by the name. */
function isPicture(file: Buffer): boolean {
  const has = (bytes: readonly number[], at = 0) => bytes.every((byte, index) => file[at + index] === byte)
  return has(PNG) || has(JPEG) || (has(RIFF) && has(WEBP, WEBP_AT))
}
