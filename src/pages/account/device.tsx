import type { OpenSession } from '../../people/open-sessions.ts'
import { shown } from '../wording.ts'
import { ACCOUNT } from './texts.ts'

const BROWSERS: readonly [RegExp, string][] = [
  [/OPR\/|Opera/, 'Opera'],
  [/Edg\//, 'Edge'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]
const MOST_SHOWN = 40

const nameIn = (agent: string, names: readonly [RegExp, string][]) =>
  names.find(([form]) => form.test(agent))?.[1]

/** What a browser calls itself, in the words of people where they are known. */
function deviceName(agent: string): string {
  const known = [nameIn(agent, BROWSERS), nameIn(agent, SYSTEMS)].filter((one) => one !== undefined)
  return known.length > 0 ? known.join(', ') : agent.slice(0, MOST_SHOWN) || '–'
}

/** The device of a session, and from where it came. */
export const Device = ({ session, here }: { session: OpenSession; here: string }) => (
  <span>
    {shown(deviceName(session.agent))}
    {session.id === here && <span class="quiet"> ({ACCOUNT.sessions.here})</span>}
    <br />
    <span class="quiet">{session.address}</span>
  </span>
)
