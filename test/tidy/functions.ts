import type { Source } from './sources.ts'

/** A function of several lines: where it begins and how long it is, its header included. */
export type FoundFunction = { path: string; line: number; name: string; length: number }

const HEADER = /(?:\bfunction\b|=>\s*\{$|\)\s*(?::[^=]*)?\{$)/
// `describe` is a heading over tests, not a function.
const NO_FUNCTION = /^\s*(?:\}\s*)?(?:if|else|for|while|switch|catch|try|do|return|class|type|export type|describe)\b/

/**
 * Every function with a body in braces. Because of the formatter a body ends at the first later line that
 * begins with `}` and has the indentation of the line that opened it.
 */
export function functionsOf({ path, code, text }: Source): FoundFunction[] {
  const lines = code.split('\n')
  const written = text.split('\n')
  return lines.flatMap((line, at) => {
    if (!line.trimEnd().endsWith('{')) return []
    const start = startOfHeader(lines, at)
    const header = lines
      .slice(start, at + 1)
      .join(' ')
      .trimEnd()
    if (NO_FUNCTION.test(lines[start] ?? '') || !HEADER.test(header)) return []
    const indent = indentOf(line)
    const end = lines.findIndex((later, index) => index > at && later.startsWith(`${indent}}`))
    if (end === -1) return []
    return [{ path, line: start + 1, name: (written[start] ?? '').trim().slice(0, 60), length: end - start + 1 }]
  })
}

/** A header of several lines ends with `) {` or `}): X {` at the indentation where it began. */
function startOfHeader(lines: readonly string[], at: number): number {
  const line = lines[at] ?? ''
  if (!/^\s*[)}\]]/.test(line)) return at
  const indent = indentOf(line)
  let start = at - 1
  while (start > 0 && (lines[start]?.trim() === '' || indentOf(lines[start] ?? '').length > indent.length)) start -= 1
  return start
}

const indentOf = (line: string) => /^ */.exec(line)?.[0] ?? ''
