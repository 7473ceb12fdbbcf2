import { oneLine } from '../../platform/text/text.ts'
import type { SurfaceEnvironment } from '../parts/routes/route.ts'
import { CONSOLE_FRAME_TEXTS, ROLE_NAMES } from './texts/frame.ts'
import type { ConsoleVisit } from './visit.ts'

const { environment: words } = CONSOLE_FRAME_TEXTS

/** Says at the top of every page whether this is production, so that two open windows are never confused. */
export const EnvironmentBand = ({ environment: { name, production, host } }: { environment: SurfaceEnvironment }) =>
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
export const formatWindowName = ({ production }: SurfaceEnvironment): string =>
  production ? CONSOLE_FRAME_TEXTS.product : `${CONSOLE_FRAME_TEXTS.product} (${words.sandbox})`

/** The name and role of the signed-in person. */
export const SignedInPerson = ({ visit }: { visit: ConsoleVisit }) => {
  const { person, operatorRole } = visit.signedIn
  return (
    <a class="who" href={visit.to('/security')} title={oneLine(person.email)}>
      <bdi>{oneLine(person.name)}</bdi>, {operatorRole === null ? '' : ROLE_NAMES[operatorRole]}
    </a>
  )
}
