import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { longTest, test } from '../../../test/helpers/service/parts.ts'
import { MAX_PICTURE_BYTES, makeItemPicture } from './picture.ts'

type Format = 'png' | 'jpeg' | 'webp'
const FORMATS: readonly Format[] = ['png', 'jpeg', 'webp']
const red = { r: 220, g: 20, b: 20 }
const blue = { r: 20, g: 20, b: 220 }

/** Blue with a red square in the middle. */
const drawn = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: blue } }).composite([
    { input: { create: { width: 100, height: 100, channels: 3, background: red } } },
  ])

async function stored(file: Buffer) {
  const made = await makeItemPicture(file)
  assert.ok(made)
  const facts = await sharp(made).metadata()
  assert.deepEqual([facts.format, facts.width, facts.height], ['webp', 320, 320])
  assert.ok(made.length <= 262_144)
  const { data, info } = await sharp(made).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)]
  return { made, facts, at }
}
const isRed = ([r, , b]: number[]) => (r as number) > 150 && (b as number) < 100
const isBlue = ([r, , b]: number[]) => (b as number) > 150 && (r as number) < 100

for (const format of FORMATS)
  test(`a ${format} becomes a square WebP, cut from the middle`, async () => {
    const { at } = await stored(await drawn(1200, 400).toFormat(format).toBuffer())
    assert.ok(isRed(at(160, 160)) && isBlue(at(5, 5)) && isBlue(at(315, 315)))
  })

test('one pixel is enough, and a small picture is made larger', async () => {
  await stored(
    await sharp({ create: { width: 1, height: 1, channels: 3, background: red } })
      .png()
      .toBuffer(),
  )
})

test('a picture taken with the phone held upright is upright, and no metadata of the phone is kept', async () => {
  const halves = sharp({ create: { width: 400, height: 200, channels: 3, background: blue } }).composite([
    { input: { create: { width: 200, height: 200, channels: 3, background: red } }, left: 0, top: 0 },
  ])
  const file = await sharp(await halves.png().toBuffer())
    .withExif({ IFD0: { Copyright: 'secret owner' }, IFD3: { GPSLatitude: '0/1 18/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { made, facts, at } = await stored(file)
  assert.ok(isRed(at(160, 20)) && isBlue(at(160, 300)), 'what was at the left is at the top')
  assert.deepEqual([facts.exif, facts.icc, facts.xmp, facts.orientation], [undefined, undefined, undefined, undefined])
  assert.ok(!made.includes('secret owner'))
})

test('of an animated picture the first frame is kept', async () => {
  const frames = await Promise.all(
    [red, blue, { r: 20, g: 220, b: 20 }].map((background) =>
      sharp({ create: { width: 64, height: 64, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  const file = await sharp(frames, { join: { animated: true } })
    .webp({ delay: [100, 100, 100], loop: 0 })
    .toBuffer()
  assert.equal((await sharp(file, { animated: true }).metadata()).pages, 3)
  const { facts, at } = await stored(file)
  assert.equal(facts.pages ?? 1, 1)
  assert.ok(isRed(at(160, 160)))
})

test('bytes after the picture in its file are not kept', async () => {
  const file = await drawn(400, 400).jpeg().toBuffer()
  const { made } = await stored(Buffer.concat([file, Buffer.from('<script>alert(1)</script>PK\x03\x04')]))
  assert.ok(!made.includes('script'))
})

test('noise, which compresses worst, with noisy transparency, stays within the size that may be stored', async () => {
  const noise = Buffer.from(
    Array.from({ length: 320 * 320 * 4 }, (_, at) => (Math.imul(at + 1, 2_654_435_761) >>> 13) & 255),
  )
  const file = await sharp(noise, { raw: { width: 320, height: 320, channels: 4 } })
    .png()
    .toBuffer()
  await stored(file)
})

const text = (content: string) => Buffer.from(content)
const SVG =
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'

test('every other format is refused, whatever its name', async () => {
  const gif = await drawn(100, 100).gif().toBuffer()
  const tiff = await drawn(100, 100).tiff().toBuffer()
  const avif = await drawn(100, 100).avif().toBuffer()
  const none = [
    ...[gif, tiff, avif],
    ...[SVG, '%PDF-1.7\n', '<!doctype html><img src=x>', 'BM', 'II*\0', 'RIFF\0\0\0\0WAVE', '', 'x'].map(text),
  ]
  for (const file of none) assert.equal(await makeItemPicture(file), null, file.subarray(0, 20).toString('latin1'))
})

longTest('a file that only begins like a picture is refused', async () => {
  const png = await drawn(100, 100).png().toBuffer()
  const jpeg = await drawn(100, 100).jpeg().toBuffer()
  const begun = [png.subarray(0, 8), jpeg.subarray(0, 3), text('RIFF\0\0\0\0WEBP')]
  for (const start of begun)
    for (const rest of [text(''), text(SVG), text('<html>'), Buffer.alloc(1000)])
      assert.equal(await makeItemPicture(Buffer.concat([start, rest])), null)
})

for (const format of FORMATS)
  test(`a ${format} that was cut short is refused`, async () => {
    const noise = Buffer.from(
      Array.from({ length: 300 * 300 * 3 }, (_, at) => (Math.imul(at + 1, 2_654_435_761) >>> 13) & 255),
    )
    const file = await sharp(noise, { raw: { width: 300, height: 300, channels: 3 } })
      .toFormat(format)
      .toBuffer()
    await stored(file)
    for (const share of [0.1, 0.5, 0.9])
      assert.equal(await makeItemPicture(file.subarray(0, Math.floor(file.length * share))), null, `${share}`)
  })

test('a file of two megabytes is read, one byte more is refused', async () => {
  const file = await drawn(100, 100).jpeg().toBuffer()
  const padded = (length: number) => Buffer.concat([file, Buffer.alloc(length - file.length)])
  await stored(padded(MAX_PICTURE_BYTES))
  assert.equal(await makeItemPicture(padded(MAX_PICTURE_BYTES + 1)), null)
})

test('a small file that claims a huge picture is refused at once', async () => {
  await stored(bombOf(500))
  const bomb = bombOf(30_000)
  assert.ok(bomb.length < MAX_PICTURE_BYTES, `${bomb.length} bytes`)
  const started = performance.now()
  const before = process.memoryUsage.rss()
  assert.equal(await makeItemPicture(bomb), null)
  assert.ok(performance.now() - started < 2000)
  assert.ok(process.memoryUsage.rss() - before < 200_000_000)
})

/** A real PNG with this many pixels a side, all of them black, one bit each. */
function bombOf(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 1
  const rows = deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side), { level: 9 })
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

function crc32(data: Buffer): number {
  let rest = 0xffffffff
  for (const byte of data) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  }
  return (rest ^ 0xffffffff) >>> 0
}
