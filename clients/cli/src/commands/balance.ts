import type { CurrencyBalance } from '../../../typescript/src/gateway-client.ts'
import type { Command } from '../command.ts'
import { openSession } from '../session.ts'
import { type Column, printTable } from '../table.ts'

const COLUMNS: readonly Column<CurrencyBalance>[] = [
  { head: 'CURRENCY', cell: ({ currency }) => currency },
  { head: 'AVAILABLE', cell: ({ available }) => available },
  { head: 'PENDING', cell: ({ pending }) => pending },
  { head: 'TOTAL', cell: ({ total }) => total },
]

const balance: Command = {
  words: 'balance',
  summary: 'what you have, and what is still held',
  run: async ({ terminal, environment }) => {
    const read = await openSession(environment).gateway.balance.retrieve()
    if (terminal.json) terminal.out(JSON.stringify(read))
    else printTable(terminal, COLUMNS, read.balances)
    if (!terminal.json) terminal.note(`${read.mode} mode`)
    return 0
  },
}

export const BALANCE_COMMANDS: readonly Command[] = [balance]
