import { jsonb } from '../../../platform/db/wire/copy.ts'
import { type Metadata, MetadataShape, metadataCell, metadataJson, presentMetadata } from './metadata.ts'

type HasMetadata = { metadata: Metadata | null }

/** `metadata` in the table of an object's fields: how it is stored, and how answers, events and files show it. */
export const METADATA_FIELD = {
  column: 'metadata',
  write: jsonb<HasMetadata>(({ metadata }) => metadataJson(metadata)),
  schema: MetadataShape,
  value: ({ metadata }: HasMetadata): object => presentMetadata(metadata),
  cell: ({ metadata }: HasMetadata): string | null => metadataCell(metadata),
}
