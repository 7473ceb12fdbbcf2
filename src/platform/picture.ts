import type { Sharp } from 'sharp'
import { fewAtOnce } from './few-at-once.ts'

export type PictureKind = 'png' | 'jpeg' | 'webp'

// The largest sensor of a phone. A few kilobytes can claim a million times more.
const MOST_PIXELS = 64_000_000
const MOST_SECONDS = 15

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const JPEG = [0xff, 0xd8, 0xff]
const RIFF = [0x52, 0x49, 0x46, 0x46]
const WEBP = [0x57, 0x45, 0x42, 0x50]
const WEBP_AT = 8

// A picture of a phone takes some 200 MB while it is decoded.
const inTurn = fewAtOnce({ most: 1, waiting: 8 })

/** What a file is by its first bytes, whatever it is called; null when it is none of the three. */
export function pictureKind(file: Buffer): PictureKind | null {
  const has = (bytes: readonly number[], at = 0) => bytes.every((byte, index) => file[at + index] === byte)
  if (has(PNG)) return 'png'
  if (has(JPEG)) return 'jpeg'
  return has(RIFF) && has(WEBP, WEBP_AT) ? 'webp' : null
}

/**
 * A picture made anew from the pixels of a PNG, JPEG or WebP file, so that nothing else of the file remains (location, scripts, other
 * formats). Of an animation the first frame. Null when the file is none of the three, is cut short, or claims more pixels than a camera
 * has. Throws 503 when too many pictures wait.
 */
export async function remakePicture(file: Buffer, shape: (picture: Sharp) => Sharp): Promise<Buffer | null> {
  if (pictureKind(file) === null) return null
  return inTurn(async () => {
    // Loaded only here: the service itself never decodes a picture.
    const { default: sharp } = await import('sharp')
    const opened = sharp(file, { limitInputPixels: MOST_PIXELS, failOn: 'error', pages: 1 }).autoOrient()
    return shape(opened)
      .timeout({ seconds: MOST_SECONDS })
      .toBuffer()
      .catch(() => null)
  })
}
