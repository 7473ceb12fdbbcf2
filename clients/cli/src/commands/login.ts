import type { Command } from '../command.ts'
import { configFile, readConfig, writeConfig } from '../config.ts'
import { UsageError } from '../faults.ts'
import { LOCAL_GATEWAY, openSession } from '../session.ts'
import { printObject } from '../table.ts'

const LIVE_WARNING =
  'this is a live key: commands with it move real money, and whoever reads its file can too; a test key does for most work'

const login: Command = {
  words: 'login',
  summary: 'store a key for the next commands',
  details: [
    'Asks for the secret key without showing it, or takes the first line of the standard input, and tries it with one call.',
    'It is kept in a file that only you can read. GATEWAY_API_KEY and GATEWAY_URL win over it.',
  ].join('\n'),
  options: { 'base-url': { value: 'URL', help: `where the gateway is; ${LOCAL_GATEWAY} where it is absent` } },
  run: async ({ terminal, environment, given }) => {
    const baseUrl = given.text('base-url') ?? environment.GATEWAY_URL ?? LOCAL_GATEWAY
    const apiKey = (await terminal.askSecret('Secret key (sk_test_...): ')).trim()
    if (apiKey === '') throw new UsageError('there was no key: type it, or send it to the standard input')
    if (!apiKey.startsWith('sk_')) throw new UsageError('this is no secret key: it begins with sk_test_ or sk_live_')
    const session = openSession(environment, { apiKey, baseUrl })
    const { name, mode, scope } = await session.gateway.account.retrieve()
    writeConfig(environment, { ...readConfig(environment), api_key: apiKey, base_url: session.baseUrl })
    if (mode === 'live') terminal.note(`${terminal.paint('yellow', 'warning:')} ${LIVE_WARNING}`)
    const stored = { account: name, mode, scope, base_url: session.baseUrl, file: configFile(environment) }
    if (terminal.json) terminal.out(JSON.stringify(stored))
    else printObject(terminal, stored)
    return 0
  },
}

const logout: Command = {
  words: 'logout',
  summary: 'forget the stored key',
  details: 'The secret of `listen` stays, so that your receiver goes on believing it.',
  run: async ({ terminal, environment }) => {
    const { api_key: apiKey, base_url: _, ...rest } = readConfig(environment)
    if (apiKey !== undefined) writeConfig(environment, rest)
    const text = apiKey === undefined ? 'no key was stored' : 'the key is forgotten here; it still works elsewhere'
    terminal.out(terminal.json ? JSON.stringify({ forgotten: apiKey !== undefined }) : text)
    return 0
  },
}

export const LOGIN_COMMANDS: readonly Command[] = [login, logout]
