import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import sharp from 'sharp'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { longTest, test } from '../../../test/helpers/service/parts.ts'
import { cacheCodes, qrPng, qrSvg } from './qr.ts'

// An independent reader; its program is loaded from the package, never from the network.
const program = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(program).buffer } })

/** What a camera reads from a picture with one code. */
async function scanned(picture: Buffer) {
  const found = await readBarcodes(new Uint8Array(picture), { formats: ['QRCode'], tryHarder: true })
  assert.equal(found.length, 1, 'one code')
  const [code] = found
  assert.ok(code)
  return { text: code.text, level: code.ecLevel }
}

const ID = 'lnk_abcde0123456789abcdef'
/** Addresses from the shortest host to one longer than any real base address. */
const ADDRESSES = [
  'http://x/pay/',
  'http://127.0.0.1:8080/pay/',
  'https://pay.example.com/pay/',
  'https://pay.example.com/pay/@mama-njeri-s-groceries/',
  'https://pesa.müller.example/pay/',
  ...Array.from({ length: 40 }, (_, nth) => `https://${'a'.repeat(1 + nth * 7)}.example/pay/`),
].map((start) => start + ID)

longTest('every address can be read back from its PNG, at error correction M', async () => {
  for (const address of ADDRESSES)
    assert.deepEqual(await scanned(qrPng(address)), { text: address, level: 'M' }, `${address.length}`)
})

test('every address can be read back from its SVG as a browser draws it', async () => {
  for (const address of ADDRESSES) {
    const drawn = await sharp(Buffer.from(qrSvg(address)))
      .png()
      .toBuffer()
    assert.deepEqual(await scanned(drawn), { text: address, level: 'M' }, `${address.length}`)
  }
})

test('a PNG is black and white, one bit a pixel, eight pixels a module, with four white modules around it', async () => {
  const png = qrPng(`https://pay.example.com/pay/${ID}`)
  assert.equal(png.subarray(12, 16).toString(), 'IHDR')
  assert.deepEqual([png[24], png[25]], [1, 0], 'bits a pixel, grey')
  const { data, info } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true })
  assert.equal(info.width, info.height)
  const at = (x: number, y: number) => data[y * info.width + x]
  const margin = 4 * 8
  for (let along = 0; along < info.width; along += 1)
    for (const depth of [0, margin - 1, info.width - margin, info.width - 1])
      assert.deepEqual([at(along, depth), at(depth, along)], [255, 255])
  // The upper left finder pattern begins where the margin ends: seven black modules.
  assert.deepEqual([at(margin, margin), at(margin + 7 * 8 - 1, margin), at(margin + 7 * 8, margin)], [0, 0, 255])
  assert.deepEqual(new Set(data), new Set([0, 255]))
  assert.ok(png.length < 3000, `${png.length} bytes`)
})

test('a code that a coin partly covers can still be read', async () => {
  const address = `https://pay.example.com/pay/${ID}`
  const size = (await sharp(qrPng(address)).metadata()).width as number
  const edge = Math.round(size * 0.16)
  const coin = { create: { width: edge, height: edge, channels: 3, background: '#888888' } } as const
  const place = { left: Math.round(size * 0.45), top: Math.round(size * 0.45) }
  const covered = await sharp(qrPng(address))
    .toColourspace('srgb')
    .composite([{ input: coin, ...place }])
    .png()
  assert.equal((await scanned(await covered.toBuffer())).text, address)
})

test('an SVG paints its own black and white, scales, and does not contain its text', () => {
  const svg = qrSvg('https://pay.example/pay/"><script>alert(1)</script>')
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1" width="\d+" height="\d+"/)
  assert.match(svg, / shape-rendering="crispEdges">/)
  assert.match(svg, /<rect width="(\d+)" height="\1" fill="#ffffff"\/><path fill="#000000" d="[Mhvz\d -]+"\/><\/svg>$/)
  assert.doesNotMatch(svg, /script|alert|pay\.example|style/)
})

test('a code is rendered once while it is cached, and the least recently used one is dropped first', () => {
  const rendered: string[] = []
  const codeOf = cacheCodes((text) => {
    rendered.push(text)
    return text.toUpperCase()
  }, 2)
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) assert.equal(codeOf(text), text.toUpperCase())
  assert.deepEqual(rendered, ['a', 'b', 'c', 'b'])
  assert.equal(qrPng(ID), qrPng(ID))
})
