/** Environment variables that make every access to a package registry fail. */
export const noRegistry: Readonly<Record<string, string>>
