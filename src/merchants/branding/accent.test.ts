import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { ROOT } from '../../platform/processes/root.ts'
import { contrast, makePaints, parseColour } from './accent.ts'

test('a colour is six hexadecimal digits behind a #', () => {
  assert.equal(parseColour(' #0B6B53 '), '#0b6b53')
  for (const text of ['', 'red', '#fff', '#0b6b5', '0b6b53', '#0b6b53;}', '#gggggg', 'url(x)'])
    assert.equal(parseColour(text), null, text)
})

test('whatever the colour, text in it, on it and on its tint can be read in both themes', () => {
  const css = readFileSync(join(ROOT, 'src/web/parts/assets/tokens.css'), 'utf8')
  const [light = '', dark = ''] = css.split('@media')
  const token = (theme: string, name: string) => new RegExp(`--${name}: (#[0-9a-f]{3,6})`).exec(theme)?.[1] ?? ''
  const full = (hex: string) => (hex.length === 4 ? `#${[...hex.slice(1)].map((one) => one + one).join('')}` : hex)
  const steps = ['00', '33', '66', '99', 'cc', 'ff']
  const colours = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)))
  for (const colour of [...colours, '#ffff00', '#7f7f7f', '#808080'])
    for (const [theme, paint] of [
      [light, makePaints(colour).light],
      [dark, makePaints(colour).dark],
    ] as const) {
      for (const ground of ['paper', 'card'])
        assert.ok(contrast(paint.accent, full(token(theme, ground))) >= 4.5, `${colour} on ${ground}`)
      assert.ok(contrast(paint.accent, paint.over) >= 4.5, `${colour} under text`)
      assert.ok(contrast(paint.accent, paint.tint) >= 4.5, `${colour} on its tint`)
      assert.ok(contrast(full(token(theme, 'ink')), paint.tint) >= 4.5, `ink on the tint of ${colour}`)
      assert.ok(contrast(full(token(theme, 'quiet')), paint.tint) >= 4.5, `quiet ink on the tint of ${colour}`)
    }
})

test('a colour that can be read already stays as it is', () => {
  assert.equal(makePaints('#0b6b53').light.accent, '#0b6b53')
  assert.equal(makePaints('#6fd3b4').dark.accent, '#6fd3b4')
})
