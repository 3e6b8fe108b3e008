/** The file that `npm pack` makes of the client's version. */
export const clientPackage = 'scheduling-service-client-1.0.0.tgz';
