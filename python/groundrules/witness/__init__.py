"""Which evidence may prove what an agent did (chapter *Witness rule*)."""

from groundrules.witness.order import OrderVerdict, check_order
from groundrules.witness.per import from_per
from groundrules.witness.record import Record, read_record
from groundrules.witness.rule import WitnessVerdict, can_prove, check_witness, is_compatible, stored_flags
from groundrules.witness.vocabulary import Vocabulary, vocabulary

__all__ = [
    "OrderVerdict",
    "Record",
    "Vocabulary",
    "WitnessVerdict",
    "can_prove",
    "check_order",
    "check_witness",
    "from_per",
    "is_compatible",
    "read_record",
    "stored_flags",
    "vocabulary",
]
