import { crc32, deflateRawSync } from 'node:zlib'

/** A file of an archive. `says`: the size that its directory states, if it lies. */
export type Packed = { name: string; bytes: Buffer | string; says?: number }

/** Packs files into a ZIP archive, as spreadsheets do. */
export function zip(files: readonly Packed[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, bytes, says } of files) {
    const content = Buffer.from(bytes as string)
    const packed = deflateRawSync(content)
    const facts = Buffer.alloc(16)
    facts.writeUInt32LE(says === undefined ? crc32(content) : 0, 4)
    facts.writeUInt32LE(packed.length, 8)
    facts.writeUInt32LE(says ?? content.length, 12)
    const names = Buffer.alloc(4)
    names.writeUInt16LE(Buffer.byteLength(name), 0)
    const head = Buffer.concat([Buffer.from('504b0304140000000800', 'hex'), facts, names, Buffer.from(name)])
    const offset = Buffer.alloc(14)
    offset.writeUInt32LE(at, 10)
    directory.push(
      Buffer.concat([Buffer.from('504b01021400140000000800', 'hex'), facts, names, offset, Buffer.from(name)]),
    )
    parts.push(head, packed)
    at += head.length + packed.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('504b0506', 'hex')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, entries, end])
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A cell: a text among the shared ones, a number, or XML of its own. */
export type Cell = string | number | { xml: string } | null

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The XML of a sheet. */
export const sheetXml = (rows: string) => `${XML}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`

/** The files of a workbook with these sheets, as Excel packs them. */
export function workbookFiles(sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>): Packed[] {
  const texts: string[] = []
  const cellXml = (cell: Cell, place: string): string => {
    if (cell === null) return ''
    if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
    if (typeof cell === 'object') return cell.xml.replace('<c', `<c r="${place}"`)
    return `<c r="${place}" t="s"><v>${texts.push(cell) - 1}</v></c>`
  }
  const names = Object.keys(sheets)
  const pages = names.map((name) =>
    sheetXml(
      (sheets[name] ?? [])
        .map((cells, row) => {
          const xml = cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${row + 1}`))
          return `<row r="${row + 1}">${xml.join('')}</row>`
        })
        .join(''),
    ),
  )
  const listed = names.map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
  const related = names.map(
    (_, at) => `<Relationship Id="rId${at + 1}" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  )
  return [
    {
      name: '[Content_Types].xml',
      bytes: `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      bytes: `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      bytes: `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets>${listed.join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      bytes: `${XML}<Relationships xmlns="${RELATIONS}">${related.join('')}<Relationship Id="rIdS" Type="${DOCUMENT}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    },
    ...pages.map((bytes, at) => ({ name: `xl/worksheets/sheet${at + 1}.xml`, bytes })),
    {
      name: 'xl/sharedStrings.xml',
      bytes: `${XML}<sst xmlns="${MAIN}">${texts.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`,
    },
  ]
}

/** A workbook with these sheets. */
export const workbook = (sheets: Parameters<typeof workbookFiles>[0]): Buffer => zip(workbookFiles(sheets))

/** The same workbook with one file put in the place of another. */
export const workbookWith = (name: string, packed: Omit<Packed, 'name'>): Buffer =>
  zip(workbookFiles({ Pay: [['Phone', 'Amount']] }).map((file) => (file.name === name ? { name, ...packed } : file)))
