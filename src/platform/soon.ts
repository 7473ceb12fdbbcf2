/** What is there at once or, where it takes long, later. A promise for each step would cost every payment more than the step. */
export type Soon<T> = T | Promise<T>

/** What `next` makes of it: at once where it is there. */
export function soon<T, Next>(value: Soon<T>, next: (value: T) => Promise<Next>): Promise<Next>
export function soon<T, Next>(value: Soon<T>, next: (value: T) => Soon<Next>): Soon<Next>
export function soon<T, Next>(value: Soon<T>, next: (value: T) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
