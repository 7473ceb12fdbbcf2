import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CRASH_POINTS } from '../../src/program/settings/crash-points.ts'
import { sourcesOf } from './sources.ts'

const SRC = sourcesOf('src', '.ts', '.tsx').filter(({ path }) => !path.endsWith('.test.ts'))

test('every crash point is passed somewhere under exactly its name', () => {
  const passed = new Set(
    SRC.flatMap(({ text }) => [...text.matchAll(/\bcrashPoint\('([^']+)'\)/g)].map(([, name]) => name)),
  )
  assert.deepEqual(
    CRASH_POINTS.filter((name) => !passed.has(name)),
    [],
  )
  const unnamed = SRC.filter(({ text }) => /\bcrashPoint\((?!'[^']+'\)|name: string)/.test(text))
  assert.deepEqual(
    unnamed.map(({ path }) => path),
    [],
  )
})

test('no crash point is passed once a row', () => {
  const loop = /\bfor (?:await )?\(const\b|\.(?:map|flatMap|forEach|filter|reduce|some|every)\(/
  const wrong = SRC.flatMap(({ path, code }) => {
    const lines = code.split('\n')
    return lines.flatMap((line, at) =>
      /\bcrashPoint\(/.test(line) && around(lines, at).some((outer) => loop.test(outer)) ? [`${path}:${at + 1}`] : [],
    )
  })
  assert.deepEqual(wrong, [])
})

/** The line itself and the lines that open the blocks around it, up to the function that contains it. */
function around(lines: readonly string[], at: number): string[] {
  const found = [lines[at] ?? '']
  let indent = /^ */.exec(lines[at] ?? '')?.[0].length ?? 0
  for (let up = at - 1; up >= 0 && indent > 0; up -= 1) {
    const line = lines[up] ?? ''
    const depth = /^ */.exec(line)?.[0].length ?? 0
    if (line.trim() === '' || depth >= indent) continue
    indent = depth
    found.push(line)
    if (/\bfunction\b/.test(line)) break
  }
  return found
}
