import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './root.ts'

type Bundled = { folder: string; map: SourceMap }

const FRAME = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g
const known = new Map<string, Bundled | null>()

/**
 * A stack that names the places in the sources instead of those in the bundle. Told to do it by itself (`--enable-source-maps`),
 * Node reads the maps at every start; here they are read when the first fault is told of, and that takes a tenth of a second.
 */
export function inSources(stack: string): string {
  return stack.replace(FRAME, (frame, file: string, line: string, column: string) => {
    const bundled = bundledFile(file)
    return (bundled && sourceOf(bundled, Number(line) - 1, Number(column) - 1)) ?? frame
  })
}

function bundledFile(file: string): Bundled | null {
  if (!known.has(file)) known.set(file, readMap(fileURLToPath(file)))
  return known.get(file) ?? null
}

/** Null for a file that is none of a bundle. */
function readMap(path: string): Bundled | null {
  try {
    return { folder: dirname(path), map: new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))) }
  } catch {
    return null
  }
}

function sourceOf({ folder, map }: Bundled, line: number, column: number): string | null {
  const found = map.findEntry(line, column)
  if (!('originalSource' in found) || found.originalSource === undefined) return null
  return `${relative(ROOT, resolve(folder, found.originalSource))}:${found.originalLine + 1}`
}
