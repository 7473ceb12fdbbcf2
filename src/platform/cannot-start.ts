/** What stops the program, in a sentence that a person can act on. It is shown without a stack: nothing in the code is wrong. */
export class CannotStart extends Error {}
