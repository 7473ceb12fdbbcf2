import type { Rule } from '../../api/http/kept-or-free.ts'
import { invalid } from '../../api/http/refused.ts'

const LONG_NAME = 'n'.repeat(41)

/** What is refused of `metadata`, wherever it is given. */
export const METADATA_REFUSALS: Rule[] = [
  { expected: invalid('metadata must be an object'), body: { metadata: 'order=7' } },
  { expected: invalid('metadata must be an object'), body: { metadata: ['order'] } },
  {
    expected: invalid('metadata.order must be a string; write it in quotes: "17"'),
    body: { metadata: { order: 17 } },
  },
  {
    expected: invalid('metadata.gift must be a string; write it in quotes: "true"'),
    body: { metadata: { gift: true } },
  },
  { expected: invalid('metadata.order must be a string'), body: { metadata: { order: null } } },
  { expected: invalid('metadata.order must be a string'), body: { metadata: { order: { id: '7' } } } },
  {
    expected: invalid('metadata must have at most 20 names'),
    body: { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`n${index}`, 'x'])) },
  },
  { expected: invalid('metadata has an empty name'), body: { metadata: { '': 'x' } } },
  { expected: invalid('a name in metadata contains control characters'), body: { metadata: { 'a\nb': 'x' } } },
  {
    expected: invalid(`a name in metadata must be at most 40 characters (got ${LONG_NAME.slice(0, 40)})`),
    body: { metadata: { [LONG_NAME]: 'x' } },
  },
  {
    expected: invalid('metadata.order must be at most 500 characters'),
    body: { metadata: { order: '\u{1f34d}'.repeat(501) } },
  },
  { expected: invalid('body contains control characters'), body: { metadata: { order: 'a\u0000b' } } },
]
