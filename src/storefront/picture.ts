import { assert } from '../platform/assert.ts'
import { remakePicture } from '../platform/picture.ts'

/** The longest file that is read. */
export const MOST_PICTURE_BYTES = 2 * 1024 * 1024

const SIDE = 320
const MOST_STORED_BYTES = 262_144
const QUALITY = 80

/**
 * A picture as it is stored: a square WebP of 320 by 320, cut from the middle, made from the pixels of a PNG, JPEG or WebP
 * file. Null when the file is none of the three, is longer than 2 MB, is cut short, or claims more pixels than a camera has.
 */
export async function readPicture(file: Buffer): Promise<Buffer | null> {
  if (file.length > MOST_PICTURE_BYTES) return null
  const made = await remakePicture(file, { width: SIDE, height: SIDE, fit: 'cover', quality: QUALITY })
  assert(made === null || made.length <= MOST_STORED_BYTES, 'a square of 320 pixels is small')
  return made
}
