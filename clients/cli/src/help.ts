import { COMMON_OPTIONS, type Command, type Options } from './command.ts'
import { UsageError } from './faults.ts'

const FOOT = `Environment: GATEWAY_API_KEY and GATEWAY_URL win over the login; GATEWAY_SIGNING_KEY_FILE signs requests; NO_COLOR.
Exit codes: 0 done, 1 refused or a difference was found, 2 called wrongly.`

/** The page of all commands. */
function formatOverview(commands: readonly Command[]): string {
  const rows = commands.map(({ words, args = '', summary }) => [`${words} ${args}`.trim(), summary] as const)
  const lines = inColumns(rows.map(([call, summary]) => [`  mmg ${call}`, summary]))
  return ['Usage: mmg COMMAND [OPTIONS]', '', ...lines, '', 'mmg help COMMAND explains one.', '', FOOT].join('\n')
}

/** The page of one command. */
export function formatHelp({ words, args = '', summary, details, options = {} }: Command): string {
  const all: Options = { ...options, ...COMMON_OPTIONS }
  const rows = Object.entries(all).map(
    ([name, { value, help }]) => [`  --${name}${value === undefined ? '' : ` ${value}`}`, help] as const,
  )
  const more = details === undefined ? [] : ['', details]
  return [`Usage: mmg ${`${words} ${args}`.trim()}`, '', summary, ...more, '', ...inColumns(rows)].join('\n')
}

/** The page that `mmg help WORDS` asks for. */
export function formatHelpFor(commands: readonly Command[], words: readonly string[]): string {
  if (words.length === 0) return formatOverview(commands)
  const wanted = words.join(' ')
  const found = commands.filter(({ words: name }) => name === wanted || name.startsWith(`${wanted} `))
  if (found.length === 0) throw new UsageError(`there is no command ${wanted}; mmg help lists all`)
  return found.map(formatHelp).join('\n\n')
}

function inColumns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`)
}
