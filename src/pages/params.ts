import { Refusal } from '../platform/refusal.ts'
import { hasForbiddenControl } from '../platform/text.ts'
import { PARTS } from './texts.ts'

// Longer than any id, handle or name that stands in an address of ours.
const LONGEST = 100

/**
 * The one place where the names in a path of a page are judged, before anything is looked for under them. Throws 404 for what nothing of
 * ours is called; to the database a control character would be an error.
 */
export function judgeParams(params: Readonly<Record<string, string>>): void {
  // An address without a page is 404 anyway, or leads to the sign-in.
  for (const [name, value] of Object.entries(params))
    if (name !== '*' && (value.length > LONGEST || hasForbiddenControl(value, false)))
      throw new Refusal(404, 'not_found', PARTS.errors.notFound)
}
