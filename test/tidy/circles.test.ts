import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomOf } from './rooms.ts'
import { sourcesOf } from './sources.ts'

const SRC = sourcesOf('src', '.ts', '.tsx').filter(({ path }) => !path.endsWith('.test.ts'))
const IMPORTED = new Map(
  SRC.map(({ path, imports }) => [
    path,
    imports.map((imported) => imported.path).filter((to) => to.startsWith('src/')),
  ]),
)

/** Every group of files each of which imports, directly or through others, all others of its group (Tarjan's algorithm). */
function circlesOf(imported: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const numbers = new Map<string, number>()
  const stack: string[] = []
  // Returns the lowest number on the stack that this file reaches.
  function visit(path: string): number {
    const own = numbers.size
    let lowest = own
    numbers.set(path, own)
    stack.push(path)
    for (const to of imported.get(path) ?? []) {
      if (!numbers.has(to)) lowest = Math.min(lowest, visit(to))
      else if (stack.includes(to)) lowest = Math.min(lowest, numbers.get(to) ?? lowest)
    }
    if (lowest === own) circles.push(stack.splice(stack.indexOf(path)))
    return lowest
  }
  for (const path of imported.keys()) if (!numbers.has(path)) visit(path)
  return circles.filter((circle) => circle.length > 1)
}

test('a circle of imports is found', () => {
  const imported = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', []],
  ])
  assert.deepEqual(circlesOf(imported), [['a', 'b', 'c']])
})

// Every operation takes the App, so what app.ts itself imports, types included, must not name the App.
test('no circle of imports spans two rooms, types included', () => {
  const wide = circlesOf(IMPORTED).filter((circle) => new Set(circle.map(roomOf)).size > 1)
  assert.deepEqual(wide, [])
})
