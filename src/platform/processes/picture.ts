import { limitConcurrency } from '../batches/concurrency-limit.ts'
import { runLimitedProcess } from './limited-process.ts'

type PictureKind = 'png' | 'jpeg' | 'webp'

/**
 * How a picture is remade, always as WebP: scaled into the size and never enlarged (`inside`), or cut from the middle to exactly that
 * size.
 */
export type RemakeOptions = { width: number; height: number; fit: 'inside' | 'cover'; quality: number }

// A picture of a phone takes some 200 MB while it is decoded; the rest is what Node itself reserves.
const LIMITS = { seconds: 15, megabytes: 4096, mostBytes: 16 * 1024 * 1024 }
const SCRIPT = new URL('./picture-process.js', import.meta.url)

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const JPEG = [0xff, 0xd8, 0xff]
const RIFF = [0x52, 0x49, 0x46, 0x46]
const WEBP = [0x57, 0x45, 0x42, 0x50]
const WEBP_AT = 8

const oneAtATime = limitConcurrency({ most: 1, waiting: 8 })

/** Detects the kind of a picture by its first bytes, whatever its name; null when it is none of the three. */
export function detectPictureKind(file: Buffer): PictureKind | null {
  const has = (bytes: readonly number[], at = 0) => bytes.every((byte, index) => file[at + index] === byte)
  if (has(PNG)) return 'png'
  if (has(JPEG)) return 'jpeg'
  return has(RIFF) && has(WEBP, WEBP_AT) ? 'webp' : null
}

/**
 * Makes a new picture from the pixels of a PNG, JPEG or WebP file, so that nothing else of the file remains (location, scripts, other
 * formats); of an animation from its first frame. The file is decoded in a process of its own, which is killed when it hangs or takes too
 * much. Returns null when the file is none of the three, is cut short, or claims more pixels than a camera has. Throws 503 when too many
 * pictures wait.
 */
export async function remakePicture(file: Buffer, options: RemakeOptions): Promise<Buffer | null> {
  if (detectPictureKind(file) === null) return null
  return oneAtATime(() => runLimitedProcess(SCRIPT, [Buffer.from(`${JSON.stringify(options)}\n`), file], LIMITS))
}
