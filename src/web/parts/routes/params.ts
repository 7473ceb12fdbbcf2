import { Refusal } from '../../../platform/refusal.ts'
import { hasForbiddenControl } from '../../../platform/text/text.ts'
import { PARTS } from '../texts.ts'

// Every id, handle or name in an address of ours is shorter.
const MAX_PARAM_CHARACTERS = 100

/**
 * Checks the names in the path of a page before anything is looked up by them; pages do this nowhere else. Throws 404 for a name that
 * cannot exist. A control character would be an error in the database.
 */
export function judgeParams(params: Readonly<Record<string, string>>): void {
  // `*` is the rest of an address without a page, which is 404 anyway, or leads to the sign-in.
  for (const [name, value] of Object.entries(params))
    if (name !== '*' && (value.length > MAX_PARAM_CHARACTERS || hasForbiddenControl(value, false)))
      throw new Refusal(404, 'not_found', PARTS.errors.notFound)
}
