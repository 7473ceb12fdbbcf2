/**
 * Replaces every reference in a part of an OpenAPI document by what it names. Objects may show each other: inside itself a schema is
 * replaced by `{}`, which fits anything.
 */
export function resolveIn(document: object, node: any, inside: readonly string[] = []): any {
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map((one) => resolveIn(document, one, inside))
  const { $ref } = node
  if (typeof $ref !== 'string')
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolveIn(document, value, inside)]))
  if (inside.includes($ref)) return {}
  const named = $ref
    .slice(2)
    .split('/')
    .reduce((place: any, part: string) => place[part], document)
  return resolveIn(document, named, [...inside, $ref])
}
