import type { Environment } from '../pages/route.ts'
import { shown } from '../pages/wording.ts'
import { FRAME, ROLE_NAMES } from './texts/frame.ts'
import type { ConsoleVisit } from './visit.ts'

const { environment: words } = FRAME

/** Says at the top of every page whether this is production, so that two open windows are never confused. */
export const EnvironmentBand = ({ of: { name, production, host } }: { of: Environment }) =>
  production ? (
    <aside class="band production" aria-label={words.label}>
      <strong>{words.production}</strong> {words.productionSays} {host}
    </aside>
  ) : (
    <aside class="band" aria-label={words.label}>
      <strong>{words.sandbox}</strong> {words.sandboxSays(name)} {host}
    </aside>
  )

/** Formats the name of the console for a window's title. */
export const windowName = ({ production }: Environment): string =>
  production ? FRAME.product : `${FRAME.product} (${words.sandbox})`

/** The name and role of the signed-in person. */
export const WhoIsIn = ({ visit }: { visit: ConsoleVisit }) => {
  const { person, operatorRole } = visit.signedIn
  return (
    <a class="who" href={visit.to('/security')} title={shown(person.email)}>
      <bdi>{shown(person.name)}</bdi>, {operatorRole === null ? '' : ROLE_NAMES[operatorRole]}
    </a>
  )
}
