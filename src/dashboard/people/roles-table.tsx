import { ACTIONS, ruleOf } from '../../actors/actions.ts'
import type { MerchantRole } from '../../actors/actor.ts'
import { Icon } from '../../pages/icons.tsx'
import { ACTION_NAMES } from '../texts/action-names.ts'
import { PEOPLE } from '../texts/people.ts'

const ROLES: readonly MerchantRole[] = ['owner', 'developer', 'cashier', 'accountant', 'viewer']
const { roles } = PEOPLE

/** The table that the operations ask, as a table to read: every act that some role of a merchant may do. */
export function RolesTable() {
  const acts = (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).filter(
    (action) => ruleOf(action).persons !== undefined && !action.startsWith('account.'),
  )
  return (
    <>
      <p class="hint">{roles.own}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label={roles.title}>
        <table class="roles">
          <caption class="ear">{roles.title}</caption>
          <thead>
            <tr>
              <th scope="col">{roles.act}</th>
              {ROLES.map((role) => (
                <th scope="col">{roles.names[role]}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {acts.map((action) => (
              <tr>
                <th scope="row">{ACTION_NAMES[action] ?? action}</th>
                {ROLES.map((role) => (
                  <td>
                    <May may={ruleOf(action).persons?.includes(role) ?? false} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const May = ({ may }: { may: boolean }) => (
  <span class={may ? 'may' : 'quiet'}>
    <Icon name={may ? 'check' : 'dash'} />
    <span class="ear">{may ? roles.yes : roles.no}</span>
  </span>
)
