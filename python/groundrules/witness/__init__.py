"""Which evidence may prove what an agent did, and what may rest on it (*Witness rule*, *Contracts*, *Authority*)."""

from groundrules.witness.authority import AuthorityVerdict, check_authority
from groundrules.witness.contracts import ContractVerdict, check_contracts
from groundrules.witness.lint import lint_contracts
from groundrules.witness.order import OrderVerdict, check_order
from groundrules.witness.per import from_per
from groundrules.witness.predicates import load_predicates
from groundrules.witness.record import Record, read_record
from groundrules.witness.rule import WitnessVerdict, can_prove, check_witness, is_compatible, stored_flags
from groundrules.witness.vocabulary import Vocabulary, vocabulary

__all__ = [
    "AuthorityVerdict",
    "ContractVerdict",
    "OrderVerdict",
    "Record",
    "Vocabulary",
    "WitnessVerdict",
    "can_prove",
    "check_authority",
    "check_contracts",
    "check_order",
    "check_witness",
    "from_per",
    "is_compatible",
    "lint_contracts",
    "load_predicates",
    "read_record",
    "stored_flags",
    "vocabulary",
]
