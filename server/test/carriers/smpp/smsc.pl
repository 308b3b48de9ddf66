# An SMSC made of Perl's Net::SMPP. It prints each text that it takes, in hexadecimal, then sends its receipt and a reply.
use strict;
use warnings;
use Net::SMPP;

$| = 1;
my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0) or die "can't listen";
print "port ", $listener->sockport, "\n";
my $smsc = $listener->accept or die "nobody came";
my $ids = 0x1f;

while (my $pdu = $smsc->read_pdu) {
    if ($pdu->{cmd} == Net::SMPP::CMD_bind_transceiver) {
        print "bind $pdu->{system_id} $pdu->{password}\n";
        $smsc->bind_transceiver_resp(system_id => 'perl', seq => $pdu->{seq});
    } elsif ($pdu->{cmd} == Net::SMPP::CMD_submit_sm) {
        my $reference = defined $pdu->{user_message_reference} ? unpack('n', $pdu->{user_message_reference}) : '';
        print join(' ', 'text', $pdu->{source_addr}, $pdu->{destination_addr}, $pdu->{data_coding}, $pdu->{esm_class},
            unpack('H*', $pdu->{short_message}), $reference), "\n";
        # The answer in hexadecimal, the receipt in decimal with zeros.
        my $id = ++$ids;
        $smsc->submit_sm_resp(message_id => sprintf('%X', $id), seq => $pdu->{seq});
        my @numbers = (
            source_addr_ton => 1, source_addr => $pdu->{destination_addr},
            dest_addr_ton => 1, destination_addr => $pdu->{source_addr},
        );
        $smsc->deliver_sm(@numbers, async => 1, esm_class => 4,
            short_message => sprintf('id:%010d sub:001 dlvrd:001 stat:DELIVRD err:000', $id));
        $smsc->deliver_sm(@numbers, async => 1, short_message => "Got it \x1b\x65");
    } elsif ($pdu->{cmd} == Net::SMPP::CMD_deliver_sm_resp) {
        print "confirmed $pdu->{status}\n";
    } elsif ($pdu->{cmd} == Net::SMPP::CMD_unbind) {
        $smsc->unbind_resp(seq => $pdu->{seq});
        print "unbound\n";
        last;
    }
}
