import { services } from '#src/api/services.ts';
import { downloadHeaders, downloadSession, refuseSimultaneous } from '../../download.ts';
import { statementOf } from '../read.ts';
import { statementPdf } from './statement-pdf.ts';

/** The statement of a month as a PDF file. */
export async function GET(
  request: Request,
  { params }: RouteContext<'/payout/[month]/statement.pdf'>,
): Promise<Response> {
  const { month } = await params;
  const session = await downloadSession(request, `/payout/${month}`);
  if (session instanceof Response) return session;
  const end = services().exports.begin(session.customerId);
  if (!end) return refuseSimultaneous();
  try {
    const statement = await statementOf(session, month);
    const headers = downloadHeaders('application/pdf', `statement-${month}.pdf`);
    if (request.method === 'HEAD') return new Response(null, { headers });
    const file = await statementPdf(services().settings.SERVICE_NAME, session, statement);
    return new Response(file, { headers });
  } finally {
    end();
  }
}
