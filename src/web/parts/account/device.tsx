import type { OpenSession } from '../../../merchants/people/open-sessions.ts'
import { oneLine } from '../../../platform/text/text.ts'
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
const MAX_AGENT_CHARACTERS = 40

const findName = (agent: string, names: readonly [RegExp, string][]) => names.find(([form]) => form.test(agent))?.[1]

/** Names the browser and the system of a user agent as people call them; the agent's own text if both are unknown. */
export function deviceName(agent: string): string {
  const names = [findName(agent, BROWSERS), findName(agent, SYSTEMS)].filter((name) => name !== undefined)
  return names.length > 0 ? names.join(', ') : agent.slice(0, MAX_AGENT_CHARACTERS) || '–'
}

/** The device of a session, and its network address. */
export const Device = ({ session, here }: { session: OpenSession; here: string }) => (
  <span>
    {oneLine(deviceName(session.agent))}
    {session.id === here && <span class="quiet"> ({ACCOUNT.sessions.here})</span>}
    <br />
    <span class="quiet">{session.address}</span>
  </span>
)
