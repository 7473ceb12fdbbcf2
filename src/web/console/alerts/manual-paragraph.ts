import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AlertKind } from '../../../operations/alerts/kinds.ts'
import { ROOT } from '../../../platform/processes/root.ts'

let manualText: string | null = null

/** Reads the paragraph of docs/operating.md about a kind of alert, as Markdown. The file is read once for each process. */
export function readManualParagraph(kind: AlertKind): string {
  manualText ??= readFileSync(join(ROOT, 'docs', 'operating.md'), 'utf8')
  const rest = manualText.split(`\n### ${kind}\n`)[1] ?? ''
  return rest.split(/\n#{2,3} /, 1)[0]?.trim() ?? ''
}
