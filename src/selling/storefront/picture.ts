import { assert } from '../../platform/assert.ts'
import { remakePicture } from '../../platform/processes/picture.ts'

/** The largest file that is accepted. */
export const MAX_PICTURE_BYTES = 2 * 1024 * 1024

const SIDE_PIXELS = 320
const MAX_STORED_BYTES = 262_144
const QUALITY = 80

/**
 * Makes the picture that is stored from a PNG, JPEG or WebP file: a square WebP of 320 by 320, cut from the middle. Null if the
 * file is none of the three, is larger than 2 MB, is cut short, or claims more pixels than a camera has.
 */
export async function makeItemPicture(file: Buffer): Promise<Buffer | null> {
  if (file.length > MAX_PICTURE_BYTES) return null
  const picture = await remakePicture(file, {
    width: SIDE_PIXELS,
    height: SIDE_PIXELS,
    fit: 'cover',
    quality: QUALITY,
  })
  assert(picture === null || picture.length <= MAX_STORED_BYTES, 'a square of 320 pixels is small')
  return picture
}
