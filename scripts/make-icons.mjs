// Draws the icons of the installed dashboard from its icon: phones want PNG, and one without rounded corners, which they cut themselves.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

const root = fileURLToPath(new URL('..', import.meta.url))
const icon = readFileSync(`${root}src/web/checkout/assets/icon.svg`, 'utf8')
// The middle of four fifths is never cut: the drawing keeps to it, its ground fills the square.
const whole = icon
  .replace('viewBox="0 0 16 16"', 'viewBox="-2 -2 20 20"')
  .replace(/<rect[^>]*?fill="([^"]+)"\/>/, '<rect x="-2" y="-2" width="20" height="20" fill="$1"/>')

async function draw(svg, pixels, name) {
  const sized = svg.replace('<svg ', `<svg width="${pixels}" height="${pixels}" `)
  const png = await sharp(Buffer.from(sized)).png({ palette: true, compressionLevel: 9 }).toBuffer()
  writeFileSync(`${root}src/web/parts/assets/${name}`, png)
}

await draw(icon, 192, 'icon-192.png')
await draw(icon, 512, 'icon-512.png')
await draw(whole, 512, 'icon-whole-512.png')
