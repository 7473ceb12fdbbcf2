import { ACTIONS, type Action } from '../../api/access/actions.ts'
import { Icon } from './icons.tsx'
import { PARTS } from './texts.ts'

type RolesTableProps<Role extends string> = {
  title: string
  act: string
  roles: Readonly<Record<Role, string>>
  names: Partial<Record<Action, string>>
  /** The roles that may do an action, from the table that operations check; undefined for an action of other people. */
  whoMay(action: Action): readonly Role[] | undefined
}

/** Shows the table that operations check: every action that some of these roles may do, except those on one's own account. */
export function RolesTable<Role extends string>({ title, act, roles, names, whoMay }: RolesTableProps<Role>) {
  const acts = (Object.keys(ACTIONS) as Action[]).filter(
    (action) => whoMay(action) !== undefined && !action.startsWith('account.'),
  )
  // The keys are those of the record.
  const columns = Object.keys(roles) as Role[]
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table class="roles">
        <caption class="ear">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{act}</th>
            {columns.map((role) => (
              <th scope="col">{roles[role]}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {acts.map((action) => (
            <tr>
              <th scope="row">{names[action] ?? action}</th>
              {columns.map((role) => (
                <td data-title={roles[role]} class={whoMay(action)?.includes(role) ? undefined : 'not'}>
                  <MayCell may={whoMay(action)?.includes(role) ?? false} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const MayCell = ({ may }: { may: boolean }) => (
  <span class={may ? 'may' : 'quiet'}>
    <Icon name={may ? 'check' : 'dash'} />
    <span class="ear">{may ? PARTS.yes : PARTS.no}</span>
  </span>
)
