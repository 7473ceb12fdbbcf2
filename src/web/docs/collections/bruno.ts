import { type CollectionRequest, type RequestCollection, writePlace } from './collection-requests.ts'

const ENVIRONMENT = 'Gateway'
const NOT_IN_NAMES = /[\\/:*?"<>|]/g

/** Writes a collection as the folder that Bruno opens: its files by their path. */
export function writeBruno({ name, says, folders, variables }: RequestCollection): Record<string, string> {
  const { apiKey: _secret, ...shown } = variables
  const pairs = Object.entries(shown)
  return {
    'bruno.json': `${JSON.stringify({ version: '1', name, type: 'collection', ignore: [] }, null, 2)}\n`,
    'collection.bru': joinBlocks(
      writeBlock('auth', ['mode: bearer']),
      writeBlock('auth:bearer', ['token: {{apiKey}}']),
      writeBlock('docs', says.split('\n')),
    ),
    [`environments/${ENVIRONMENT}.bru`]: joinBlocks(
      writeBlock(
        'vars',
        pairs.map(([key, value]) => `${key}: ${value}`),
      ),
      'vars:secret [\n  apiKey\n]',
    ),
    ...Object.fromEntries(
      folders.flatMap((folder, nth) => [
        [`${folder.name}/folder.bru`, writeBlock('meta', [`name: ${folder.name}`, `seq: ${nth + 1}`]).concat('\n')],
        ...folder.requests.map((request, index) => [
          `${folder.name}/${request.name.replace(NOT_IN_NAMES, ' ')}.bru`,
          writeRequest(request, index + 1),
        ]),
      ]),
    ),
  }
}

function writeRequest(request: CollectionRequest, sequence: number): string {
  const { name, method, path, query, headers, body, says, expects, saves } = request
  const asked = query.filter((parameter) => parameter.asked)
  const text = asked.map((parameter) => `${parameter.name}=${encodeURIComponent(parameter.value)}`).join('&')
  const url = `{{baseUrl}}${path}${text === '' ? '' : `?${text}`}`
  return joinBlocks(
    writeBlock('meta', [`name: ${name}`, 'type: http', `seq: ${sequence}`]),
    writeBlock(method.toLowerCase(), [`url: ${url}`, `body: ${body === null ? 'none' : 'json'}`, 'auth: inherit']),
    writeBlock(
      'params:query',
      query.map((parameter) => `${parameter.asked ? '' : '~'}${parameter.name}: ${parameter.value}`),
    ),
    writeBlock(
      'headers',
      headers.map((header) => `${header.name}: ${header.value}`),
    ),
    writeBlock('body:json', body?.split('\n') ?? []),
    saves === null
      ? ''
      : writeBlock('script:post-response', [
          `const id = res.getStatus() < 300 ? res.getBody()${writePlace(saves.at)} : undefined`,
          `if (id) bru.setVar('${saves.variable}', id)`,
        ]),
    writeBlock('tests', [
      `test('answers ${expects.join(' or ')}', () => expect(res.getStatus()).to.be.oneOf([${expects.join(', ')}]))`,
    ]),
    writeBlock('docs', says === '' ? [] : says.split('\n')),
  )
}

/** A block of these lines, indented as Bruno wants it; nothing where there are none. */
const writeBlock = (name: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${name} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}`

const joinBlocks = (...blocks: readonly string[]): string => `${blocks.filter((block) => block !== '').join('\n\n')}\n`
