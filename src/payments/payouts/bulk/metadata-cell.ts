import { MetadataPart } from '../../../api/http/bodies/metadata.ts'
import { parseBodyPart } from '../../../api/http/bodies/parse-body.ts'
import { NOT_JSON, parseStrictJson } from '../../../platform/text/strict-json.ts'
import { echo } from '../../../platform/text/text.ts'

/** The metadata of a payment as a cell of a list has it: a JSON value or what is wrong with its JSON, and where the cell stands. */
export type MetadataCell = ({ value: unknown } | { problem: string }) & { at: string }

// The problems of a body begin with this word where they are about all of it.
const SUBJECT = /^body\b/

/** Parses a cell as our own files write it: one JSON object. Returns undefined for an empty cell; its members are checked by `parseItemMetadata`. */
export function parseMetadataCell(
  text: string,
  { line, column }: { line: number; column: string },
): MetadataCell | undefined {
  if (text.trim() === '') return undefined
  const at = `line ${line}, column ${echo(column)}`
  const parsed = parseStrictJson(Buffer.from(text))
  if (parsed.ok) return { at, value: parsed.value }
  if (parsed.problem === NOT_JSON)
    return { at, problem: 'metadata is not valid JSON; write one object, such as {"order":"A-17"}' }
  return {
    at,
    problem: SUBJECT.test(parsed.problem) ? parsed.problem.replace(SUBJECT, 'metadata') : `metadata: ${parsed.problem}`,
  }
}

/** Checks the metadata of an item by the rules of a body. The problem of a cell says where it stands. */
export function parseItemMetadata(
  value: unknown,
  cell: MetadataCell | undefined,
): ReturnType<typeof parseBodyPart<typeof MetadataPart>> {
  if (cell === undefined) return parseBodyPart(MetadataPart, { metadata: value })
  const parsed =
    'value' in cell ? parseBodyPart(MetadataPart, { metadata: cell.value }) : ({ ok: false, ...cell } as const)
  return parsed.ok ? parsed : { ok: false, problem: `${parsed.problem} (${cell.at})` }
}
