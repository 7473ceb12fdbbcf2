import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { sourcesOf } from './sources.ts'

const isTest = (path: string) => /\.test\.tsx?$/.test(path)
const SRC = sourcesOf('src', '.ts', '.tsx').filter(({ path }) => !isTest(path))
const MAX_FILES_OF_A_FOLDER = 30
const SMALL_LINES = 30
const MAX_SMALL_FILES = 25
// Each area of a surface has one, however small, because that is where one looks.
const ROUTES = /\/routes\.ts$/

const types = SRC.flatMap(({ path, code }) =>
  [...code.matchAll(/^(export )?(?:abstract )?(?:type|interface|class) (\w+)/gm)].map(([, exported, name]) => ({
    path,
    name: name as string,
    isExported: exported !== undefined,
  })),
)

test('an exported type name is exported once, and no local type repeats one', () => {
  assert.ok(types.length > 1000, 'the types were found')
  const exported = new Map<string, string[]>()
  for (const { name, path, isExported } of types)
    if (isExported) exported.set(name, [...(exported.get(name) ?? []), path])
  assert.deepEqual(
    [...exported].filter(([, paths]) => paths.length > 1),
    [],
  )
  assert.deepEqual(
    types.filter(({ name, isExported }) => !isExported && exported.has(name)),
    [],
  )
})

test(`no folder of tests has more than ${MAX_FILES_OF_A_FOLDER} files`, () => {
  const counts = new Map<string, number>()
  for (const { path } of sourcesOf('test', '.ts', '.tsx'))
    counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1)
  assert.deepEqual(
    [...counts].filter(([, count]) => count > MAX_FILES_OF_A_FOLDER),
    [],
  )
})

test(`at most ${MAX_SMALL_FILES} files of ${SMALL_LINES} lines or fewer are imported by one file alone`, () => {
  const importers = new Map<string, Set<string>>()
  for (const { path, imports } of SRC)
    for (const imported of imports) importers.set(imported.path, (importers.get(imported.path) ?? new Set()).add(path))
  const small = SRC.filter(
    ({ path, text }) =>
      !ROUTES.test(path) && text.trimEnd().split('\n').length <= SMALL_LINES && importers.get(path)?.size === 1,
  )
  assert.ok(small.length <= MAX_SMALL_FILES, small.map(({ path }) => path).join('\n'))
})
