let armed: { name: string; passesLeft: number } | null = null

/** Arms one point, `name` or `name:n` for the n-th pass. Only settings/config.ts calls it, and only together with TEST_HOOKS. */
export function armCrashPoint(setting: string): void {
  const [name = '', pass = '1'] = setting.split(':')
  armed = { name, passesLeft: Number(pass) }
}

/** Kills the process with SIGKILL when this point is the armed one; returns at once otherwise. */
export function crashPoint(name: string): void {
  if (armed === null || armed.name !== name) return
  armed.passesLeft -= 1
  if (armed.passesLeft === 0) process.kill(process.pid, 'SIGKILL')
}
