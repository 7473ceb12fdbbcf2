import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../src/platform/processes/root.ts'

const GUIDE = join(ROOT, 'docs', 'growing.md')

/** What the names of the guide are here. */
export type Names = Readonly<Record<string, string>>

/** The blocks of a chapter of the guide, in order, as somebody writes them down who has these names. Throws where it has not as many. */
export function readBlocks(chapter: string, { names, count }: { names: Names; count: number }): string[] {
  const [, text = ''] = readFileSync(GUIDE, 'utf8').split(`\n### ${chapter}\n`)
  const [own = ''] = text.split('\n### ')
  const blocks = [...own.matchAll(/^( *)```\w*\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
  if (blocks.length !== count) throw new Error(`"${chapter}" of ${GUIDE} has ${blocks.length} blocks, not ${count}`)
  return blocks.map((block) => withNames(block, names))
}

/** The longest names first: one may begin with another one. */
export const withNames = (text: string, names: Names): string =>
  Object.keys(names)
    .sort((a, b) => b.length - a.length)
    .reduce((changed, name) => changed.replaceAll(name, names[name] ?? ''), text)

/** The settings that a block of a shell exports, and the commands of the gateway in it, each as its words. */
export function readShell(block: string): { settings: Record<string, string>; commands: string[][] } {
  const exported = [...block.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name = '', value = '']) => [name, value])
  const commands = [...block.matchAll(/^gateway (.*)$/gm)].map(([, words = '']) => words.trim().split(/\s+/))
  return { settings: Object.fromEntries(exported), commands }
}
