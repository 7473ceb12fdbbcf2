import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What scripts/bundle.mjs has written beside a file of the bundle: of each line the number of its source and the line there. */
type Lines = { sources: string[]; lines: ([source: number, line: number] | null)[] }

const FRAME = /(file:\/\/[^\s()]+\.js):(\d+):\d+/g
const known = new Map<string, Lines | null>()

/**
 * Rewrites a stack so that it names lines of the sources instead of the bundle: the line at which the statement begins. With
 * `--enable-source-maps` Node would do it, but would read the maps at every start, and for a fifth of a second nobody would be served.
 */
export function mapToSources(stack: string): string {
  return stack.replace(FRAME, (frame, file: string, line: string) => {
    const found = linesOf(file)
    const [source, at] = found?.lines[Number(line) - 1] ?? []
    return found && source !== undefined ? `${found.sources[source]}:${at}` : frame
  })
}

function linesOf(file: string): Lines | null {
  if (!known.has(file)) known.set(file, readLines(fileURLToPath(file)))
  return known.get(file) ?? null
}

/** Null for a file that is not part of a bundle. */
function readLines(path: string): Lines | null {
  try {
    return JSON.parse(readFileSync(`${path}.lines`, 'utf8'))
  } catch {
    return null
  }
}
