import {
  addMachine,
  listMachines,
  type Machine,
  presentMachine,
  removeMachine,
} from '../../selling/vending/machines/machines.ts'
import { syncMachines } from '../../selling/vending/machines/sync-machines.ts'
import {
  type SupplierAccess,
  setVending,
  type VendingChange,
  type VendingSettings,
} from '../../selling/vending/suppliers/vending-settings.ts'
import { answerRows, type CommandAnswer, command, formatFacts } from './frame/command.ts'
import {
  type CommandInput,
  findText,
  getCommandMerchant,
  getMerchantAndId,
  parseChoice,
  requireText,
} from './frame/input.ts'
import { readSecrets } from './frame/secret-input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const MACHINES_PER_PAGE = 1000
const SUPPLIER_OPTIONS = ['base-url', 'key', 'secret', 'shbh'] as const

const add = command({
  usage: 'machines add <m> --machine N [--name X]',
  says: 'register a vending machine by its number, or bring a removed one back; said twice it is one machine',
  async run(input) {
    const { app, merchant, id: machine } = await getMerchantAndId(input, 'machine')
    const name = findText(input, 'name') ?? null
    const added = await addMachine(app, input.actor, { merchantId: merchant.id, machine, name })
    return answerMachine(added)
  },
})

const remove = command({
  usage: 'machines remove <m> --machine N',
  says: 'take a machine out of the registry; what was paid still dispenses, and its figures stay',
  async run(input) {
    const { app, merchant, id: machine } = await getMerchantAndId(input, 'machine')
    const removed = await removeMachine(app, input.actor, { merchantId: merchant.id, machine })
    return answerMachine(removed)
  },
})

const list = command({
  usage: 'machines list <m>',
  says: 'all machines of a merchant, newest first',
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const machines: Machine[] = []
    for (let after: string | null = null; ; ) {
      const page = await listMachines(app, merchant.id, { limit: MACHINES_PER_PAGE, startingAfter: after })
      machines.push(...page.data)
      after = page.nextCursor
      if (after === null) break
    }
    return answerRows(machines, { none: 'no machines', present: presentMachine, lines: formatMachine })
  },
})

const sync = command({
  usage: 'machines sync <m>',
  says: "bring the registry in line with the supplier's list; what has vanished there becomes inactive",
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const synced = await syncMachines(app, input.actor, merchant.id)
    const { listed, added, updated, inactive, ignored } = synced
    const rest = ignored === 0 ? '' : `, ${ignored} without a usable number ignored`
    return {
      json: synced,
      lines: [`the supplier lists ${listed}: ${added} added, ${updated} updated, ${inactive} now inactive${rest}`],
    }
  },
})

const set = command({
  usage:
    'vending set <m> [--base-url U --shbh N --secrets-from FILE|-] [--profile default|optimistic] [--accept-api-secret true|false]',
  says: 'how the machine supplier of a merchant is reached, and how it is believed; key and secret are never shown again',
  unshown: ['key', 'secret'],
  async run(input) {
    const change = parseChange(input)
    if (Object.keys(change).length === 0) throw new WrongUsage('nothing to change: give at least one option')
    const { app, merchant } = await getCommandMerchant(input)
    const settings = presentSettings(await setVending(app, input.actor, { merchant, change }))
    return {
      json: settings,
      lines: formatFacts(settings, 18),
    }
  },
})

export const vendingCommands = [add, remove, list, sync, set]

function parseChange(input: CommandInput): VendingChange {
  const supplier = parseSupplier(input)
  const profile = findText(input, 'profile')
  const accept = findText(input, 'accept-api-secret')
  return {
    ...(supplier === null ? {} : { supplier }),
    ...(profile === undefined ? {} : { profile: parseChoice('profile', profile, ['default', 'optimistic']) }),
    ...(accept === undefined
      ? {}
      : { acceptApiSecret: parseChoice('accept-api-secret', accept, ['true', 'false']) === 'true' }),
  }
}

/** Reads all four options or none: a mix of two suppliers would send commands to one with the secret of the other. */
function parseSupplier(input: CommandInput): SupplierAccess | null {
  const from = findText(input, 'secrets-from')
  const named = SUPPLIER_OPTIONS.filter((name) => findText(input, name) !== undefined)
  if (from === undefined && named.length === 0) return null
  const onCommandLine = named.some((name) => name === 'key' || name === 'secret')
  if (from !== undefined && onCommandLine) throw new WrongUsage('--secrets-from takes the place of --key and --secret')
  // Others can read the process list and the shell's history.
  if (onCommandLine && input.config.production)
    throw new WrongUsage(
      'in production --key and --secret do not belong on the command line: give --secrets-from FILE, or - for standard input, with {"key":"...","secret":"..."}',
    )
  if (named.length < SUPPLIER_OPTIONS.length - (from === undefined ? 0 : 2))
    throw new WrongUsage(
      '--base-url, --key, --secret and --shbh belong together: give all four, the two in the middle by --secrets-from',
    )
  const { key, secret } =
    from === undefined
      ? { key: requireText(input, 'key'), secret: requireText(input, 'secret') }
      : readSecrets(from, ['key', 'secret'])
  return { baseUrl: requireText(input, 'base-url'), shbh: requireText(input, 'shbh'), key, secret }
}

const presentSettings = ({ baseUrl, shbh, profile, acceptApiSecret }: VendingSettings) => ({
  base_url: baseUrl,
  shbh,
  profile,
  accept_api_secret: acceptApiSecret,
})

const answerMachine = (machine: Machine): CommandAnswer => ({
  json: presentMachine(machine),
  lines: [formatMachine(machine)],
})

function formatMachine(machine: Machine): string {
  const { registered, active } = presentMachine(machine)
  const state = registered ? '' : active ? '  (removed)' : '  (inactive: the supplier no longer has it)'
  return `${machine.machine}  ${machine.name}${machine.address === null ? '' : `, ${machine.address}`}${state}`
}
