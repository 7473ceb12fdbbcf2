import type { RemakeOptions } from './picture.ts'

// Runs as a process of its own (picture.ts): reads one line with the options, then the picture, and writes the new picture.

// What the largest sensor of a phone has. A file of a few kilobytes can claim a million times more.
const MAX_PIXELS = 64_000_000

async function remake(): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  const input = Buffer.concat(pieces)
  const lineEnd = input.indexOf(10)
  const { width, height, fit, quality } = JSON.parse(input.subarray(0, lineEnd).toString('utf8')) as RemakeOptions
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 } as const
  const picture = await sharp(input.subarray(lineEnd + 1), options)
    .autoOrient()
    .resize(width, height, fit === 'inside' ? { fit, withoutEnlargement: true } : { fit, position: 'centre' })
    .webp({ quality })
    .toBuffer()
  process.stdout.write(picture)
}

await remake().catch(() => {
  process.exitCode = 1
})
