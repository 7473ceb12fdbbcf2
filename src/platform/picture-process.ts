import type { Remake } from './picture.ts'

// Runs as a process of its own (picture.ts): reads how to remake a picture in one line, then the file, and writes the new one.
// The largest sensor of a phone. A few kilobytes can claim a million times more.
const MOST_PIXELS = 64_000_000

async function remake(): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  const given = Buffer.concat(pieces)
  const end = given.indexOf(10)
  const { width, height, fit, quality } = JSON.parse(given.subarray(0, end).toString('utf8')) as Remake
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  const options = { limitInputPixels: MOST_PIXELS, failOn: 'error', pages: 1 } as const
  const made = await sharp(given.subarray(end + 1), options)
    .autoOrient()
    .resize(width, height, fit === 'inside' ? { fit, withoutEnlargement: true } : { fit, position: 'centre' })
    .webp({ quality })
    .toBuffer()
  process.stdout.write(made)
}

await remake().catch(() => {
  process.exitCode = 1
})
