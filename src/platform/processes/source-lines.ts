import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './root.ts'

type BundledFile = { folder: string; map: SourceMap }

const FRAME = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g
const bundledFiles = new Map<string, BundledFile | null>()

/**
 * Rewrites a stack so that it names lines of the sources instead of the bundle. With `--enable-source-maps` Node would do it, but would
 * read the maps at every start; here they are read when the first error is logged, which takes a tenth of a second.
 */
export function mapToSources(stack: string): string {
  return stack.replace(FRAME, (frame, file: string, line: string, column: string) => {
    const bundled = getBundledFile(file)
    return (bundled && findSource(bundled, Number(line) - 1, Number(column) - 1)) ?? frame
  })
}

function getBundledFile(file: string): BundledFile | null {
  if (!bundledFiles.has(file)) bundledFiles.set(file, readMap(fileURLToPath(file)))
  return bundledFiles.get(file) ?? null
}

/** Reads the source map of a file; null for a file that is not part of a bundle. */
function readMap(path: string): BundledFile | null {
  try {
    return { folder: dirname(path), map: new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))) }
  } catch {
    return null
  }
}

function findSource({ folder, map }: BundledFile, line: number, column: number): string | null {
  const entry = map.findEntry(line, column)
  if (!('originalSource' in entry) || entry.originalSource === undefined) return null
  return `${relative(ROOT, resolve(folder, entry.originalSource))}:${entry.originalLine + 1}`
}
